import type { Segment } from './segments.js';
import { visible } from './visible.js';

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
  /** Empty where nobody says why it differs: another writer than this program has been at work. */
  readonly changes: readonly AppliedChange[];
}

/** Every segment that differs or was changed: a difference without a reason is not passed over. */
export function changedSegments(
  before: readonly Segment[],
  after: readonly Pick<Segment, 'id' | 'text'>[],
  changes: readonly AppliedChange[],
): readonly ChangedSegment[] {
  const texts = new Map(after.map(({ id, text }) => [id, text]));
  const bySegment = new Map<string, AppliedChange[]>();
  for (const change of changes) bySegment.set(change.segment, [...(bySegment.get(change.segment) ?? []), change]);
  return before
    .map((segment) => ({ before: segment, after: texts.get(segment.id) ?? '', changes: bySegment.get(segment.id) ?? [] }))
    .filter((one) => one.changes.length > 0 || one.after !== one.before.text);
}

const paint = (code: number, colour: boolean) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
type Painter = (text: string) => string;

const unexplained = 'no correction says why';

/** Before and after of each changed segment, with the reasons. What a terminal would obey or hide is spelled out. */
export function changesText(changed: readonly ChangedSegment[], colour: boolean): string {
  const [red, green, dim] = [31, 32, 2].map((code) => paint(code, colour)) as [Painter, Painter, Painter];
  const reasonOf = ({ stage, original, replacement, reason }: AppliedChange): string =>
    visible(`${stage}: "${original}" to "${replacement}": ${reason}`);
  return changed
    .map(({ before, after, changes }) =>
      [
        [
          before.id,
          ...(before.startMs === null ? [] : [clockOf(before.startMs)]),
          ...(before.speaker === null ? [] : [visible(before.speaker)]),
        ].join(' '),
        red(`- ${visible(before.text)}`),
        green(`+ ${visible(after)}`),
        ...(changes.length === 0 ? [unexplained] : changes.map(reasonOf)).map((line) => dim(`  ${line}`)),
      ].join('\n'),
    )
    .join('\n\n');
}

const style = 'body{font:1rem sans-serif;max-width:50rem;margin:2rem auto}.before,del{color:#a00}.after,ins{color:#060}';

/** The same as a page that needs nothing beside it. */
export function changesHtml(changed: readonly ChangedSegment[]): string {
  const reasonOf = ({ stage, original, replacement, reason }: AppliedChange): string =>
    `<li>${escaped(stage)}: <del>${escaped(original)}</del> <ins>${escaped(replacement)}</ins> ${escaped(reason)}</li>`;
  const parts = changed.map(({ before, after, changes }) => {
    const reasons = changes.length === 0 ? `<li>${unexplained}</li>` : changes.map(reasonOf).join('');
    const head = [before.id, ...(before.startMs === null ? [] : [clockOf(before.startMs)]), before.speaker ?? ''].join(' ');
    return `<section><h2>${escaped(head)}</h2><p class="before">${escaped(before.text)}</p><p class="after">${escaped(after)}</p><ul>${reasons}</ul></section>`;
  });
  const body = parts.length === 0 ? '<p>Nothing was changed.</p>' : parts.join('\n');
  return `<!doctype html><meta charset="utf-8"><title>Corrections</title><style>${style}</style>${body}\n`;
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => visible(text).replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
