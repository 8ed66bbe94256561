import { runBuilt } from './setup.mjs';
import { main } from './step.mjs';

// `npm run demo` tells the story once; `npm start` adds --stay and keeps everything running.
await main(() => runBuilt('demo/dist/main.js', process.argv.slice(2)));
