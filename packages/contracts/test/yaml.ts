type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [name: string]: Yaml };

/** Block YAML for plain data: enough for a generated document, so that no library comes in for one file. */
export const yamlText = (value: object): string => `${block(value as Yaml, '')}\n`;

function block(value: Yaml, indent: string): string {
  if (Array.isArray(value)) return (value as readonly Yaml[]).map((item) => `${indent}- ${nested(item, indent)}`).join('\n');
  return Object.entries(value as { readonly [name: string]: Yaml })
    .map(([name, member]) => `${indent}${scalar(name)}:${isBranch(member) ? `\n${block(member, `${indent}  `)}` : ` ${scalar(member)}`}`)
    .join('\n');
}

const nested = (item: Yaml, indent: string): string => (isBranch(item) ? block(item, `${indent}  `).trimStart() : scalar(item));

const isBranch = (value: Yaml): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** A word stands bare; everything else is quoted as JSON, which YAML reads alike. */
const scalar = (value: Yaml): string =>
  typeof value === 'string' && /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
