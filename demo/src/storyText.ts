import { tally, type Tally, tallyText } from './counts.js';
import type { Story } from './demo.js';

const list = (counts: unknown): string => tallyText((counts ?? {}) as Readonly<Record<string, number>>);

/** The story as a newcomer reads it, and one run of it. */
export const storyText = (story: Story): string =>
  [
    '',
    ...storyLines(story),
    `   They are in ${String(story.exported['out'])}/${String(story.exported['directory'])}`,
    '',
    'One run, from its first event to now (emend show):',
    story.shown,
  ].join('\n');

/** What happened, in seven points. Every number comes from the story; two runs on the same input say the same. */
export function storyLines(story: Story): readonly string[] {
  const { ineligible, counts, judgments, rebuilt, exported } = story;
  const acts = judgments.map(({ judgment, outcome }) => `${judgment.act} ${outcome}`);
  return [
    ...answerLines(story),
    `2. The coordinator asked for ${counts.requested} repairs. The other failed runs got no request:`,
    `     ${list(ineligible)}`,
    ...repairLines(story),
    `4. Reviewers judged: ${tallyText(tally(acts))}.`,
    `   Active now: ${list(counts.judged)}. Waiting in the review queue: ${list(counts.review)}.`,
    `5. Effective outputs: ${list(counts.effective)}.`,
    `6. The view was dropped and folded anew from the first event: ${rebuiltText(rebuilt)}`,
    `7. Training files: ${exportedText(exported)}`,
  ].flatMap((text) => text.split('\n'));
}

/** How the answers came out: with ring 1 around each, or as recorded where there is no sandbox. */
function answerLines({ noSandbox, notes, observers, answers, counts, played }: Story): readonly string[] {
  const { exact, repaired, overseen, failed, calls } = answers;
  const out = `exact ${exact}, repaired ${repaired}, overseen ${overseen}, failed ${failed}:`;
  if (noSandbox !== null) {
    return [
      `1. The runner left ${notes} notes unclaimed: there is no sandbox here (${noSandbox}).`,
      '   docs/sandbox.md says what it needs. So the recorded answers went in as runs that had ended, without ring 1.',
      `   A small model had answered ${counts.runs} times: ${out}`,
      `     ${tallyText(counts.failed)}`,
    ];
  }
  return [
    `1. ${observers} declarations read ${notes} notes, and a small model answered ${calls.primary} times: ${out}`,
    `     ${tallyText(counts.failed)}`,
    `   Ring 1 asked an overseer about ${calls.overseer} malformed answers. ${playedText(played.runner)}`,
  ];
}

/** A call whose very prompt was never recorded has nothing to play. */
function playedText({ recording_missing: missing = 0 }: Tally): string {
  return missing === 0
    ? 'Each call played what was recorded to its very prompt.'
    : `${missing} calls had no recording of their very prompt.`;
}

/** Without a sandbox no generation is made: the requests wait, and nothing else does. */
function repairLines({ noSandbox, counts, played }: Story): readonly string[] {
  if (noSandbox !== null) {
    return ['3. The repair agent left the requests unclaimed, for the same reason. The rest goes on without proposals.'];
  }
  return [
    `3. The repair agent answered each request once: ${counts.proposed} proposals${repairFailures(counts.repairFailed)}.`,
    `   ${playedText(played.repairAgent)} A proposal changes nothing by itself.`,
  ];
}

const repairFailures = (counts: Readonly<Record<string, number>>): string =>
  Object.keys(counts).length === 0 ? '' : `, and answers that were refused themselves: ${tallyText(counts)}`;

function rebuiltText({ byteEqual, views, position }: Story['rebuilt']): string {
  const rows = Object.entries(views as Readonly<Record<string, { readonly equal: number; readonly different: number }>>);
  const counted = rows.map(([view, { equal, different }]) => `${view} ${equal} equal, ${different} different`).join('; ');
  return `${byteEqual === true ? 'byte-equal' : 'NOT equal'} after ${String(position)} events\n     ${counted}`;
}

function exportedText({ files, withheld, trajectories }: Story['exported']): string {
  const written = Object.entries(files as Readonly<Record<string, { readonly rows: number }>>).map(
    ([name, { rows }]) => `${name} ${rows} rows`,
  );
  return `${written.join(', ')} (${list(trajectories)})\n     withheld: ${list(withheld)}`;
}
