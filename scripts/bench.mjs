import { runBuilt } from './setup.mjs';
import { main } from './step.mjs';

// `npm run bench -- NAME`: the names are listed by the program itself.
await main(() => runBuilt('bench/dist/main.js', process.argv.slice(2)));
