import type { Spoken } from '../segments.js';
import { checkSpoken, speakerOf } from './checkSpoken.js';
import { faultAt, type ReadingFault } from './faults.js';

export interface LinesRead {
  readonly spoken: readonly Spoken[];
  readonly faults: readonly ReadingFault[];
}

/** One paragraph of a caption file: its lines, and the number of the first. */
interface Block {
  readonly first: number;
  readonly lines: readonly string[];
}

/*
 * Own code, because the readers that are kept (media-captions, @plussub/srt-vtt-parser) leave out a broken cue without a word,
 * and whoever submits a transcript is to hear of each line that was not read.
 */

/** SubRip. A number above the timing is read past; tags are left out. */
export function readSrt(text: string): LinesRead {
  return readBlocks(blocksOf(text), (block) => {
    const at = /^\d+\s*$/.test(block.lines[0] ?? '') && block.lines.length > 1 ? 1 : 0;
    return cueOf(block, at, (body) => speakerOf(withoutTags(body)));
  });
}

/** WebVTT: notes, styles and regions are read past; `<v Name>` says who speaks. */
export function readVtt(text: string): LinesRead {
  if (!/^\uFEFF?WEBVTT(?:[ \t\n]|$)/.test(text)) return { spoken: [], faults: [faultAt('header_missing', 1)] };
  const [, ...blocks] = blocksOf(text.replace(/^\uFEFF/, ''));
  const cues = blocks.filter(({ lines }) => !/^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/.test(lines[0] ?? ''));
  return readBlocks(cues, (block) => cueOf(block, (block.lines[0] ?? '').includes('-->') ? 0 : 1, voiceOf));
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  for (const [index, line] of [...text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/), ''].entries()) {
    if (line.trim() !== '') lines.push(line);
    else if (lines.length > 0) {
      blocks.push({ first: index + 1 - lines.length, lines });
      lines = [];
    }
  }
  return blocks;
}

function readBlocks(blocks: readonly Block[], read: (block: Block) => ReturnType<typeof checkSpoken>): LinesRead {
  const spoken: Spoken[] = [];
  const faults: ReadingFault[] = [];
  for (const block of blocks) {
    const one = read(block);
    if (one.kind === 'spoken') spoken.push(one.spoken);
    else faults.push(one.fault);
  }
  return { spoken, faults };
}

function cueOf(
  { first, lines }: Block,
  at: number,
  spokenIn: (body: string) => { readonly speaker: string | null; readonly text: string },
): ReturnType<typeof checkSpoken> {
  const timing = lines[at];
  if (!timing?.includes('-->')) return { kind: 'fault', fault: faultAt('timing_missing', first) };
  const [start, end, ...more] = timing.split('-->').map((part) => msOf(part.trim().split(/\s+/)[0] ?? ''));
  if (start === null || end === null || start === undefined || end === undefined || more.length > 0)
    return { kind: 'fault', fault: faultAt('timing_invalid', first + at) };
  return checkSpoken({ startMs: start, endMs: end, ...spokenIn(lines.slice(at + 1).join(' ')) }, first + at);
}

/** Milliseconds of `[hours:]minutes:seconds` with a comma or a dot before the thousandths; null where it is none. */
function msOf(text: string): number | null {
  const read = /^(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)[,.](\d{3})$/.exec(text);
  if (read === null) return null;
  const [hours, minutes, seconds, thousandths] = [read[1] ?? '0', read[2], read[3], read[4]].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths;
}

function voiceOf(body: string): { readonly speaker: string | null; readonly text: string } {
  const voice = /<v(?:\.[^ \t>]+)?[ \t]+([^>]+)>/.exec(body);
  return { speaker: voice?.[1] === undefined ? null : decoded(voice[1]), text: decoded(withoutTags(body)) };
}

const withoutTags = (text: string): string => text.replaceAll(/<\/?[a-zA-Z0-9:.][^<>]*>/g, '');

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };
const decoded = (text: string): string => text.replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name] ?? '');
