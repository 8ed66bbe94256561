import { type ConfigTable, type Setting, expectedOf } from './config.js';

/** The table of settings as Markdown, for a README; a test in each service compares the two. */
export function configTable(table: ConfigTable): string {
  const head = ['| variable | value | default | meaning |', '| --- | --- | --- | --- |'];
  return [...head, ...Object.values(table).map(row)].join('\n');
}

function row(entry: Setting): string {
  const cells = [`\`${entry.name}\``, cell(expectedOf(entry.type)), defaultOf(entry), cell(meaningOf(entry))];
  return `| ${cells.join(' | ')} |`;
}

function defaultOf(entry: Setting): string {
  if (entry.default !== undefined) return entry.secret ? 'set' : `\`${cell(asWritten(entry.default))}\``;
  return entry.type.safeParse(undefined).success ? 'none' : 'required';
}

/** A default as one would write it into the environment. */
const asWritten = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const meaningOf = (entry: Setting): string => (entry.secret ? `${entry.description} Secret.` : entry.description);

/** Text that cannot end its cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
