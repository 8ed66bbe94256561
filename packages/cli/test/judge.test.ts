import type { EncodedEvent } from '@emend/contracts';
import { emptyDossier, evolveDossier, FactsSoFar } from '@emend/history';
import { expect, it } from 'vitest';
import { type RunStory, runStory, storedLog } from '../../../test/support/history.js';
import { judgmentOn, retraction } from '../src/index.js';
import { replyText } from '../src/commands/judge.js';

const run = runStory();
const flags = { authority: 'ann', action: 'a1' };

function dossierOf(story: RunStory, events: readonly EncodedEvent[]) {
  const facts = new FactsSoFar();
  return storedLog(...events).read.reduce((dossier, { subject, sequence, read }) => {
    if (read.kind === 'event') facts.learn(read.event);
    return evolveDossier(dossier, { subject, sequence, read }, facts);
  }, emptyDossier(story.run));
}

it('a judgment is on the output where the run succeeded, and on the proposal where it failed', () => {
  expect(judgmentOn(dossierOf(run, [...run.answered()]), 'accept', flags)?.target).toEqual(run.output);
  expect(judgmentOn(dossierOf(run, [...run.repaired()]), 'accept', flags)?.target).toEqual({ ...run.proposed, policy: run.policy });
});

it('there is nothing to judge on a failed run without a proposal', () => {
  expect(judgmentOn(dossierOf(run, [...run.declared, run.started(), run.failed()]), 'accept', flags)).toBeNull();
});

it('nothing is eligible, exportable or public unless it is said', () => {
  expect(judgmentOn(dossierOf(run, [...run.answered()]), 'accept', flags)).toMatchObject({ quality: false, externalExport: false });
  const open = judgmentOn(dossierOf(run, [...run.answered()]), 'accept', { ...flags, quality: true, export: true, public: true });
  expect(open).toMatchObject({ quality: true, externalExport: true, privacy: 'public', sourceClass: 'public-source' });
});

it('a retraction finds the target of the judgment that it names', () => {
  const accept = run.chain('ann', run.proposed).accept();
  const dossier = dossierOf(run, [...run.repaired(), accept]);
  expect(retraction(dossier, { ...flags, supersedes: accept.id })).toMatchObject({
    target: { ...run.proposed, policy: run.policy },
    retracts: accept.id,
  });
  expect(retraction(dossier, { ...flags, supersedes: 'x'.repeat(22) })).toBeNull();
});

it('a refusal is printed with its codes, the id that would be right, and paths, never values', () => {
  const text = replyText('r', {
    kind: 'refused',
    reasons: [
      { code: 'supersedes_required', names: 'y'.repeat(22) },
      { code: 'replacement_invalid', issues: [{ code: 'type', path: '/title' }] },
    ],
  });
  expect(text).toBe(`r: refused\n  supersedes_required: ${'y'.repeat(22)}\n  replacement_invalid\n    type at /title`);
});
