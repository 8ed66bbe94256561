import { observation } from '@emend/contracts';

export const schema = observation.schema;

/** Valid answers of 1 to 4 KB, as a model writes them: indented, with escapes and text that is not ASCII. */
export const answers: readonly string[] = Array.from({ length: 64 }, (_, index) => answerOf(1_000 + index * 45));

function answerOf(bytes: number): string {
  const sentence = 'The gauge at “North Pier” fell to 0.4 m at nine; the crew noted:\n"steady wind". ';
  const evidence = Array.from({ length: Math.floor(bytes / 500) }, (_, index) => ({
    eventId: `e${index}`,
    quote: sentence.repeat(2),
  }));
  const body = { title: 'Low tide at nine', summary: '', tags: ['tide', 'gauge', 'pier'], confidence: 0.8, evidence };
  const left = bytes - Buffer.byteLength(JSON.stringify(body, null, 2));
  const summary = sentence.repeat(Math.max(1, Math.floor(left / Buffer.byteLength(JSON.stringify(sentence)))));
  return JSON.stringify({ ...body, summary }, null, 2);
}
