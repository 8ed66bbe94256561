import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  canonicalBytes,
  canonicalText,
  chainIdOf,
  compileContract,
  conceptualizationGraph,
  encodeEvent,
  eventIdOf,
  fingerprintOf,
  observation,
  outputRepairPolicy,
  policyIdentityOf,
  policyTokenOf,
  promptHashOf,
  readEvent,
  repairRunIdOf,
  runIdOf,
  sha256,
  transcriptCorrection,
} from '../src/index.js';
import { agentWritten, allDrafts, drafts } from './controls.js';
import { committed, jsonText } from './written.js';

const folder = path.join(import.meta.dirname, 'golden');

/** Compares with the committed vectors. They are a promise to programs in other languages: a change breaks every log there is. */
function golden(name: string, computed: unknown): void {
  const fresh = jsonText(computed);
  expect(committed(path.join(folder, `${name}.json`), fresh)).toBe(fresh);
}

const canonicalInputs: readonly unknown[] = [
  null,
  true,
  '',
  'é € 箱 🌊 "\\/\b\f\n\r\t\u0000\u001f\u007f',
  [0, -0, 1, -1, 0.1, 1e-7, 1e20, 1e21, 9007199254740991, 5e-324, 1.7976931348623157e308],
  { b: 1, a: [{ d: null, c: '' }], '': {}, '\u{1f30a}': 1, '\ufb33': 2, A: false },
  JSON.parse('{"__proto__":1,"constructor":2}'),
];

describe('golden vectors', () => {
  it('canonical JSON: input, text, UTF-8 in hex, SHA-256', () => {
    golden(
      'canonical',
      canonicalInputs.map((input) => ({
        // As JSON writes it, so that a reader in any language starts from the same value in another order.
        input: JSON.stringify(input),
        text: canonicalText(input),
        hex: Buffer.from(canonicalBytes(input)).toString('hex'),
        sha256: sha256(canonicalBytes(input)),
      })),
    );
  });

  it('identities: ids of events, runs, policies, chains and repair runs from what they derive from', () => {
    const run = runIdOf({ producer: 'notes', reference: 'n-1/1' });
    const policy = policyIdentityOf(outputRepairPolicy);
    const request = eventIdOf(encodeEvent(drafts.repairRequested).subject);
    golden('identities', {
      events: allDrafts.map(([, draft]) => encodeEvent(draft)).map(({ subject, id }) => ({ subject, id })),
      runs: [
        { producer: 'notes', reference: 'n-1/1', run },
        { producer: 'café', reference: '"quoted", 箱', run: runIdOf({ producer: 'café', reference: '"quoted", 箱' }) },
      ],
      policies: [{ policy, token: policyTokenOf(policy) }],
      chains: [{ authority: 'anna', target: request, chain: chainIdOf({ authority: 'anna', target: request }) }],
      repairRuns: [{ request, run: repairRunIdOf(request) }],
    });
  });

  it('definitions: the hash of each shipped contract, of the shipped policy, and of an agent', () => {
    golden('definitions', {
      contracts: [observation, conceptualizationGraph, transcriptCorrection].map((definition) => ({
        ref: compileContract(definition).ref,
        definition,
      })),
      policy: { identity: policyIdentityOf(outputRepairPolicy), definition: outputRepairPolicy },
      agent: { promptHash: promptHashOf(agentWritten.prompt), fingerprint: fingerprintOf(agentWritten), written: agentWritten },
    });
  });

  it('events: one of every type, with its place, id, bytes and SHA-256', () => {
    golden(
      'events',
      allDrafts.map(([what, draft]) => {
        const { subject, id, bytes } = encodeEvent(draft);
        return { what, subject, id, sha256: sha256(bytes), text: new TextDecoder().decode(bytes) };
      }),
    );
  });

  it('the committed bytes of every event are still read', () => {
    const events = JSON.parse(readFileSync(path.join(folder, 'events.json'), 'utf8')) as readonly {
      what: string;
      subject: string;
      text: string;
    }[];
    expect(events).toHaveLength(allDrafts.length);
    for (const { what, subject, text } of events) {
      const read = readEvent({ subject, bytes: new TextEncoder().encode(text) });
      expect(read.kind).toBe(what === 'erased' ? 'tombstone' : 'event');
    }
  });
});
