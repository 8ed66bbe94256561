import type { JsonValue } from '@emend/contracts';

/** How a refusal in words begins. A closed list: a wrong guess only changes the name of a failure. */
const refusal =
  /^(?:i['’]?m sorry|i am sorry|sorry,|i (?:can(?:not|['’]?t| not)|could not|couldn['’]?t|won['’]?t|will not|am unable|am not able|must decline)|i['’]m (?:unable|not able)|unfortunately,? i (?:can|am|will)|as an ai\b)/i;

/** A text without a value that says no. */
export const isRefusalText = (text: string): boolean => refusal.test(text.trimStart().slice(0, 64));

/** An object that holds a refusal and nothing else. */
export function isRefusalObject(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [only, ...others] = Object.entries(value);
  return only !== undefined && others.length === 0 && only[0] === 'refusal' && typeof only[1] === 'string';
}
