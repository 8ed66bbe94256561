import { code, isInvisible, isSpace } from './characters.js';
import { endOfRemark, isPureRemark } from './remarks.js';
import type { Sheet } from './sheet.js';

/** Where the blank from `start` on ends. What JSON does not know as blank is marked, and so is a remark that says nothing; any other stops the scan. */
export function skipBlank(sheet: Sheet, start: number, inObject: boolean): number {
  const { text } = sheet;
  let at = start;
  for (let end = at; at < text.length && sheet.failure === null; at = end) {
    const c = text.charCodeAt(at);
    if (isSpace(c)) end = at + 1;
    else if (isInvisible(c)) {
      end = at + 1;
      sheet.mark('invisible_removed', at, end, '');
    } else if (c === code.slash || c === code.hash) {
      end = takeRemark(sheet, at, inObject);
      if (end === -1) break;
    } else break;
  }
  sheet.budget.steps += at - start;
  return at;
}

/** The end of the remark at `at`; -1 where there is none. In an array a remark may stand for members. */
function takeRemark(sheet: Sheet, at: number, inObject: boolean): number {
  const { text } = sheet;
  const end = endOfRemark(text, at);
  if (end === -1) return -1;
  if (end === text.length) sheet.failure ??= { kind: 'open' };
  if (!inObject || !isPureRemark(text.slice(at, end))) sheet.fail('omission', at);
  sheet.mark('comment_removed', at, end, '');
  return end;
}
