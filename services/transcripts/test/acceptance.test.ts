import { describe, expect, it } from 'vitest';
import type { DebugEntry } from '@emend/revision';
import { correctTranscript, type CorrectDeps } from '../src/correctTranscript.js';
import { stageSettings } from '../src/settings.js';
import { approve, correction, failed, reject, revise, scriptedModel, type Wanted, withdraw } from './scriptedModel.js';
import { compiled, contextOf, done, isWord, prompts, sectionWith, segmentOf, shippedFiles, stageOn, textsOf } from './stageOn.js';

const good = correction('they was', 'they were');
const bad = correction('at six', 'at seven');
const text = 'they was late and we met at six';
const grammar = contextOf({ section: sectionWith([text]) });
const propose = (...corrections: readonly object[]) => ({ corrections });

/** Proposes these, approves by model whatever our own checks leave, and answers each question by its reference. */
const scripted = (corrections: readonly object[], answers: Readonly<Record<string, unknown>> = {}) =>
  scriptedModel((wanted) =>
    wanted.kind === 'propose' ? propose(...corrections) : wanted.kind === 'revise' ? answers[wanted.ref] : approve,
  );
const revisions = (model: ReturnType<typeof scripted>) => model.calls.filter(({ wanted }) => wanted.kind === 'revise');

describe('one stage over one section', () => {
  it('repairs only the rejected proposal and applies both in their order (A92)', async () => {
    const model = scripted([good, bad], { p2: revise('p2', correction('six', 'six.')) });
    const end = done(await stageOn(model, grammar));
    expect(textsOf(end)).toEqual(['they were late and we met at six.']);
    expect(revisions(model)).toHaveLength(1);
    expect(end.applied.map(({ proposal, version, reason }) => [proposal, version, reason])).toEqual([
      ['p1', 1, 'heard wrong'],
      ['p2', 2, 'heard wrong'],
    ]);
  });

  it('keeps several proposals of one segment apart, and of two that overlap the first is applied (A93)', async () => {
    const model = scripted([good, correction('was late', 'was Late'), correction('we met', 'We met')]);
    const end = done(await stageOn(model, grammar));
    expect(textsOf(end)).toEqual(['they were late and We met at six']);
    expect(end.notApplied).toEqual([{ proposal: 'p2', code: 'conflict' }]);
  });

  it('asks with the whole first exchange, and the second turn holds its own branch only, debug on or off (A94, A95)', async () => {
    const other = correction('late', 'two late');
    const answers: Record<string, unknown> = { p1: revise('p1', bad), p2: withdraw('p2') };
    const play = async (debug: boolean) => {
      const model = scripted([bad, other], answers);
      const entries: DebugEntry[] = [];
      const sink = { redact: () => 'redacted', record: (entry: DebugEntry) => void entries.push(entry) };
      const end = done(await stageOn(model, grammar, { budget: 2, ...(debug && { debug: sink }) }));
      return {
        calls: model.calls.filter(({ wanted }) => wanted.kind === 'revise' && wanted.ref === 'p1'),
        first: model.calls[0],
        end,
        entries,
      };
    };
    const [off, on] = [await play(false), await play(true)];
    const [, second] = off.calls;
    expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(second?.messages.slice(0, 2)).toEqual(off.first?.messages);
    expect(second?.messages[2]?.content).toBe(JSON.stringify(propose(bad, other)));
    expect(second?.messages[5]?.content).toContain('correction p1 of your list, version 2');
    expect(second?.messages.slice(3).some(({ content }) => content.includes('p2'))).toBe(false);
    expect(on.calls.map(({ messages }) => messages)).toEqual(off.calls.map(({ messages }) => messages));
    expect(on.end).toEqual(off.end);
    expect(JSON.stringify(on.entries)).not.toContain('they was');
  });

  it.each([
    ['by default one attempt', undefined, 1, 'exhausted'],
    ['more where they are configured', 3, 3, 'exhausted'],
    ['none at zero', 0, 0, 'exhausted'],
  ])('%s (A96)', async (_, maxAttempts, attempts, disposition) => {
    const settings = stageSettings({ profile: 'small', repair: { maxAttempts } }).grammar;
    const model = scripted([bad], { p1: revise('p1', bad) });
    const end = done(await stageOn(model, grammar, { settings }));
    expect(end.repairOutcomes).toMatchObject([{ proposal: 'p1', attempts, disposition, applied: false }]);
    expect(textsOf(end)).toEqual([text]);
  });

  it('asks no model about what its own text refuses at a budget of zero (A96, A115)', async () => {
    const model = scripted([bad]);
    await stageOn(model, grammar, { budget: 0 });
    expect(model.calls.map(({ wanted }) => wanted.kind)).toEqual(['propose']);
  });

  it('an empty replacement deletes and is no withdrawal (A97)', async () => {
    const section = sectionWith(['we um left']);
    const model = scripted([correction('we um', 'we')], {});
    const end = done(await stageOn(scripted([correction('um ', '')]), contextOf({ section, module: 'spoken_word' })));
    expect(textsOf(end)).toEqual(['we left']);
    expect(textsOf(done(await stageOn(model, contextOf({ section, module: 'spoken_word' }))))).toEqual(['we left']);
  });

  it('a check that cannot run, or whose answer cannot be had, is no finding (A98, A99)', async () => {
    const model = scriptedModel((wanted) =>
      wanted.kind === 'propose'
        ? propose(correction('nowhere', 'x'), good)
        : wanted.kind === 'revise'
          ? withdraw(wanted.ref)
          : failed('provider_failed'),
    );
    const end = done(await stageOn(model, grammar));
    expect(end.repairOutcomes).toMatchObject([
      { proposal: 'p1', disposition: 'withdrawn' },
      { proposal: 'p2', disposition: 'unavailable', code: 'provider_failed', attempts: 0 },
    ]);
    expect(model.calls.filter(({ wanted }) => wanted.kind === 'decide')).toHaveLength(2);
  });

  it.each([
    ['not json', 'decision_not_json'],
    [{ verdict: 'maybe' }, 'decision_breaks_contract'],
    [{ verdict: 'reject', code: 'span_not_found', explanation: 'x' }, 'decision_breaks_contract'],
  ])('a decision that is %j is unavailable and approves nothing', async (decision, code) => {
    const model = scriptedModel((wanted) => (wanted.kind === 'propose' ? propose(good) : decision));
    expect(done(await stageOn(model, grammar)).repairOutcomes).toMatchObject([{ disposition: 'unavailable', code, applied: false }]);
  });

  it('a revision passes the checks again that approved its first version (A100)', async () => {
    const asked: Wanted[] = [];
    const model = scriptedModel((wanted, { messages }) => {
      if (wanted.kind === 'propose') return propose(good);
      if (wanted.kind === 'revise') return revise(wanted.ref, correction('they was', 'They were'));
      asked.push(wanted);
      const isFirst = messages.at(-1)?.content.includes('"they were') ?? false;
      return wanted.check === 'style' && isFirst ? reject('dialect_normalised') : approve;
    });
    expect(textsOf(done(await stageOn(model, grammar)))).toEqual(['They were late and we met at six']);
    expect(asked.filter((one) => one.kind === 'decide' && one.check === 'meaning')).toHaveLength(2);
  });

  it.each([
    ['another reference', revise('p9', correction('late', 'Late')), 'reply_names_another_proposal'],
    ['a whole new list', propose(correction('late', 'Late')), 'reply_breaks_contract'],
    ['no JSON', '```json\n{}\n```', 'reply_not_json'],
  ])('a reply with %s brings nothing in (A101, A102)', async (_, reply, code) => {
    const end = done(await stageOn(scripted([bad], { p1: reply }), grammar));
    expect(end.repairOutcomes).toMatchObject([{ disposition: 'unusable', code }]);
    expect(textsOf(end)).toEqual([text]);
  });

  it('a revision may move to another segment of its section, and to none beyond (A103, A139, A141)', async () => {
    const section = sectionWith(['the fog lifted', 'they met at the north peer']);
    const context = contextOf({ section, module: 'homophones' });
    const wrong = correction('peer', 'pier', 1);
    expect(textsOf(done(await stageOn(scripted([wrong], { p1: revise('p1', correction('peer', 'pier', 2)) }), context)))[1]).toBe(
      'they met at the north pier',
    );
    const beyond = done(await stageOn(scripted([wrong], { p1: revise('p1', correction('peer', 'pier', 3)) }), context));
    expect(beyond.repairOutcomes).toMatchObject([{ disposition: 'exhausted' }]);
    expect(beyond.applied).toEqual([]);
  });

  it('a refused revision call costs its own proposal only, and the three counters stay apart (A104, A106)', async () => {
    const model = scripted([bad, good], { p1: failed('context_exceeded', { transportRetries: 2, structuralRepairs: 1 }) });
    const end = done(await stageOn(model, grammar));
    expect(end.repairOutcomes).toMatchObject([
      { disposition: 'unavailable', code: 'context_exceeded', attempts: 1, transportRetries: 2, structuralRepairs: 1 },
    ]);
    expect(textsOf(end)).toEqual(['they were late and we met at six']);
  });

  it('a cancelled stage applies nothing (A105)', async () => {
    const stop = new AbortController();
    const model = scriptedModel((wanted) => {
      if (wanted.kind === 'decide') stop.abort();
      return wanted.kind === 'propose' ? propose(good) : approve;
    });
    expect(await stageOn(model, grammar, { signal: stop.signal })).toEqual({ kind: 'cancelled' });
  });

  it.each([
    ['the call fails', failed('provider_failed'), 'provider_failed'],
    ['the answer is no JSON', 'none today', 'invalid_json'],
    ['the answer breaks its contract', { corrections: [{ segment: 1 }] }, 'contract_violation'],
  ])('a stage fails where %s', async (_, answer, code) => {
    expect(
      await stageOn(
        scriptedModel(() => answer),
        grammar,
      ),
    ).toMatchObject({ kind: 'failed', code });
  });

  it('an operator’s prompt is what the model reads (A107)', async () => {
    const mine = `Mine: {{ ref }} {{ version }} {{ proposed.original }} {% for f in findings %}{{ f.code }}{% endfor %} {{ unavailable.size }} {{ reply_contract }}`;
    const model = scriptedModel((wanted) =>
      wanted.kind === 'propose' ? propose(bad) : wanted.kind === 'decide' ? approve : withdraw('p1'),
    );
    await stageOn(model, grammar, { prompts: compiled(new Map([...shippedFiles, ['grammar.repair', mine]])) });
    expect(revisions(model as never)[0]?.messages.at(-1)?.content).toMatch(
      /^Mine: p1 1 at six number_added|^Mine: p1 1 at six number_changed/,
    );
  });

  it('names the proposal, both texts, the findings and the contract in the shipped repair prompts (A65, A66, A74)', async () => {
    const model = scripted([bad], { p1: withdraw('p1') });
    await stageOn(model, contextOf({ ...grammar, protectedTerms: ['six'] }));
    const asked = revisions(model)[0]?.messages.at(-1)?.content ?? '';
    for (const part of [
      'p1',
      'version 1',
      '"at six"',
      '"at seven"',
      'protected_term_changed',
      'Seen: six',
      'number_changed',
      '"action": "withdraw"',
      'no other correction',
    ])
      expect(asked).toContain(part);
  });
});

describe('settings', () => {
  it('a stage comes before the root, and the repair profile falls back after both are combined (A108, A123)', () => {
    const settings = stageSettings({
      profile: 'small',
      repair: { maxAttempts: 2 },
      stages: { grammar: { profile: 'large' }, homophones: { repair: { maxAttempts: 0, profile: 'careful' } } },
    });
    expect(settings.glossary).toEqual({ budget: 2, profile: 'small', repairProfile: 'small' });
    expect(settings.grammar).toEqual({ budget: 2, profile: 'large', repairProfile: 'large' });
    expect(settings.homophones).toEqual({ budget: 0, profile: 'small', repairProfile: 'careful' });
  });
});

const segments = Array.from({ length: 60 }, (_, index) => segmentOf(`s${index + 1}`, `segment ${index + 1}: they was here`));
const depsOf = (call: CorrectDeps['call'], change: Partial<CorrectDeps> = {}): CorrectDeps => ({
  prompts,
  call,
  settings: stageSettings({ profile: 'small' }),
  isWord,
  sectionsInWork: 4,
  signal: new AbortController().signal,
  ...change,
});
const transcript = { segments, glossary: [], protectedTerms: [], language: 'en' };
const stageOf = (system: string) => /homophones|sound like|grammar|did not mean/.exec(system)?.[0] ?? '';

describe('a transcript', () => {
  it('goes through its stages in order, section by section, and one entry for each branch is reported with its place (A11, A109)', async () => {
    const order: string[] = [];
    const model = scriptedModel((wanted, { messages }) => {
      if (wanted.kind === 'decide') return approve;
      if (wanted.kind === 'revise') return withdraw(wanted.ref);
      const stage = stageOf(messages[0]?.content ?? '');
      if (messages[1]?.content.includes('segment 1:')) order.push(stage);
      return stage === 'grammar' ? propose(correction('they was', 'they were', 2), correction('here', 'seven', 1)) : propose();
    });
    const end = await correctTranscript(depsOf(model.call), transcript);
    if (end.kind !== 'corrected') throw new Error(end.kind);
    expect(order).toEqual(['sound like', 'did not mean', 'grammar']);
    expect(end.segments.map(({ id, text: now }) => [id, now.includes('were')]).filter(([, is]) => is)).toEqual([
      ['s2', true],
      ['s27', true],
      ['s52', true],
    ]);
    expect(end.report).toMatchObject({ sections: 3, proposed: 6, applied: 3 });
    expect(end.report.repairOutcomes.map(({ stage, section, proposal, disposition }) => [stage, section, proposal, disposition])).toEqual(
      [1, 2, 3].map((section) => ['grammar', section, 'p2', 'withdrawn']),
    );
    expect(end.corrections[0]).toMatchObject({ segment: 's2', stage: 'grammar', section: 1, original: 'they was', reason: 'heard wrong' });
  });

  it('what a later stage sees is what an earlier one left', async () => {
    const seen: string[] = [];
    const model = scriptedModel((wanted, { messages }) => {
      if (wanted.kind !== 'propose') return approve;
      seen.push(messages[1]?.content ?? '');
      return stageOf(messages[0]?.content ?? '') === 'sound like' ? propose(correction('peer', 'pier')) : propose();
    });
    await correctTranscript(depsOf(model.call), { ...transcript, segments: [segmentOf('s1', 'at the peer')] });
    expect(seen.map((content) => content.includes('at the pier'))).toEqual([false, true, true]);
  });

  it('fails as a whole where one stage call fails, with the stage and the section', async () => {
    const model = scriptedModel((_, { messages }) =>
      messages[1]?.content.includes('segment 30:') ? failed('provider_failed') : propose(),
    );
    expect(await correctTranscript(depsOf(model.call), transcript)).toEqual({
      kind: 'failed',
      code: 'provider_failed',
      stage: 'homophones',
      section: 2,
    });
  });

  it('is cancelled by its caller and gives nothing', async () => {
    const stop = new AbortController();
    const model = scriptedModel(() => {
      stop.abort();
      return propose();
    });
    expect(await correctTranscript(depsOf(model.call, { signal: stop.signal }), transcript)).toEqual({ kind: 'cancelled' });
  });

  it('passes on what is a fault of the program', async () => {
    const call = () => Promise.reject(new Error('a bug'));
    await expect(correctTranscript(depsOf(call), transcript)).rejects.toThrow('a bug');
  });

  it('comes out the same however its calls are scheduled (A12, A54)', async () => {
    const play = async (delayOf: (n: number) => number) => {
      let n = 0;
      const { call } = scriptedModel((wanted) =>
        wanted.kind === 'propose' ? propose(good, correction('here', 'two', 3)) : wanted.kind === 'revise' ? withdraw(wanted.ref) : approve,
      );
      const slow: CorrectDeps['call'] = async (asked) => {
        for (let turns = delayOf((n += 1)); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
        return call(asked);
      };
      return correctTranscript(depsOf(slow), transcript);
    };
    expect(await play((n) => n % 5)).toEqual(await play((n) => (n * 7) % 11));
  });
});
