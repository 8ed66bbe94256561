// Programs for `node` in a container of ours; each prints one line of JSON.

/** Opens a sandbox each way in which namespaces within can be refused. */
export const openBoth = `
import { openSandbox } from '@emend/agents';
const tell = (opened) => (opened.kind === 'ready' ? 'ready' : [opened.code, ...opened.misses, opened.said].join(' '));
const of = async (nestedNamespaces) => tell(await openSandbox({ nestedNamespaces }));
console.log(JSON.stringify({ filtered: await of('filtered'), disabled: await of('disabled') }));
process.exit();
`;

/** Tells who one is and which folders let one write. */
export const tryToWrite = `
const { writeFileSync } = require('node:fs');
const attempt = (folder) => { try { writeFileSync(folder + '/probe', ''); return 'written'; } catch (error) { return error.code; } };
console.log(JSON.stringify({ uid: process.getuid(), app: attempt('/app'), home: attempt('/home'), data: attempt('/data') }));
`;
