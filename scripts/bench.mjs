import { installPeers } from './peers.mjs';
import { runBuilt } from './setup.mjs';
import { main } from './step.mjs';

// `npm run bench -- NAME`: the names are listed by the program itself. The decoder is measured beside other libraries.
await main(async () => {
  const args = process.argv.slice(2);
  if (args.includes('decoder')) await installPeers();
  return runBuilt('bench/dist/main.js', args);
});
