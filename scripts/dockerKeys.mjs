import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { main, say } from './step.mjs';

// `node scripts/dockerKeys.mjs FOLDER`: one key pair for each user of deploy/nats/accounts.conf. The public halves go to
// FOLDER/nkeys.env, for the broker; each secret half to FOLDER/NAME.creds, for EMEND_NATS_CREDENTIALS of that process alone.

const users = [
  'bootstrap',
  'declare',
  'coordinator',
  'repair-agent',
  'runner',
  'transcripts',
  'judgments',
  'projector',
  'exporter',
  'producer',
  'authority',
  'operator',
];

await main(async () => {
  const folder = process.argv[2];
  if (folder === undefined) {
    say('usage: node scripts/dockerKeys.mjs FOLDER');
    return 2;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = users.map((user) => {
    const pair = nkeys.createUser();
    // Never over an older key: a broker may still know it.
    writeFileSync(path.join(folder, `${user}.creds`), credentials(new TextDecoder().decode(pair.getSeed())), { mode: 0o600, flag: 'wx' });
    return `EMEND_NKEY_${user.toUpperCase().replaceAll('-', '_')}=${pair.getPublicKey()}\n`;
  });
  writeFileSync(path.join(folder, 'nkeys.env'), lines.join(''));
  say(`keys of ${users.length} users in ${folder}`);
  return 0;
});

/** The form that NATS clients read. A server that knows the key asks for no token, so there is none. */
function credentials(seed) {
  return [
    '-----BEGIN NATS USER JWT-----',
    'none',
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
}
