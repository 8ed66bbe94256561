import type { Segment } from './segments.js';

/** A correction that is in the transcript, as a person sees it. */
export interface AppliedChange {
  readonly segment: string;
  readonly stage: string;
  readonly original: string;
  readonly replacement: string;
  readonly reason: string;
}

/** One segment that reads otherwise now, and every reason why, in the order in which it was changed. */
export interface ChangedSegment {
  readonly before: Segment;
  readonly after: string;
  readonly changes: readonly AppliedChange[];
}

export function changedSegments(
  before: readonly Segment[],
  after: readonly Segment[],
  changes: readonly AppliedChange[],
): readonly ChangedSegment[] {
  const texts = new Map(after.map(({ id, text }) => [id, text]));
  return before
    .map((segment) => ({
      before: segment,
      after: texts.get(segment.id) ?? segment.text,
      changes: changes.filter((change) => change.segment === segment.id),
    }))
    .filter((one) => one.changes.length > 0);
}

const paint = (code: number, colour: boolean) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Before and after of each changed segment, with the reasons. */
export function changesText(changed: readonly ChangedSegment[], colour: boolean): string {
  const [red, green, dim] = [31, 32, 2].map((code) => paint(code, colour)) as [Painter, Painter, Painter];
  return changed
    .map(({ before, after, changes }) =>
      [
        `${before.id}${before.startMs === null ? '' : ` ${clockOf(before.startMs)}`}${before.speaker === null ? '' : ` ${before.speaker}`}`,
        red(`- ${before.text}`),
        green(`+ ${after}`),
        ...changes.map(({ stage, original, replacement, reason }) => dim(`  ${stage}: "${original}" to "${replacement}": ${reason}`)),
      ].join('\n'),
    )
    .join('\n\n');
}
type Painter = (text: string) => string;

/** The same as a page that needs nothing beside it. */
export function changesHtml(changed: readonly ChangedSegment[]): string {
  const parts = changed.map(({ before, after, changes }) => {
    const reasons = changes.map(
      ({ stage, original, replacement, reason }) =>
        `<li>${escaped(stage)}: <del>${escaped(original)}</del> <ins>${escaped(replacement)}</ins> ${escaped(reason)}</li>`,
    );
    return `<section><h2>${escaped(before.id)} ${escaped(before.speaker ?? '')}</h2><p class="before">${escaped(before.text)}</p><p class="after">${escaped(after)}</p><ul>${reasons.join('')}</ul></section>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Corrections</title><style>body{font:1rem sans-serif;max-width:50rem;margin:2rem auto}.before,del{color:#a00}.after,ins{color:#060}</style>${parts.join('\n')}\n`;
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
