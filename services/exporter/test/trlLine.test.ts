import { expect, it } from 'vitest';
import { fileFaults, lineFaults } from '../src/domain/trlLine.js';

const message = (role: string, content: unknown) => ({ role, content });
const control = {
  prompt: [message('system', 'Answer.'), message('user', 'Now.')],
  chosen: [message('assistant', '{"a":1}')],
  rejected: [message('assistant', '{"a":2}')],
  emend_contract: 'x@1',
};
const pair = (change: Readonly<Record<string, unknown>> = {}): string => JSON.stringify({ ...control, ...change });

it('the control is loaded', () => expect(lineFaults('pairs.jsonl', pair())).toEqual([]));
it('so is a row with a completion', () => {
  const { chosen: completion, prompt } = control;
  expect(lineFaults('sft.jsonl', JSON.stringify({ prompt, completion }))).toEqual([]);
});

it.each([
  ['an empty line', '', ['blank']],
  ['a line that is no JSON', '{', ['not_json']],
  ['a line that is no object', '[1]', ['not_an_object']],
  ['a row without a prompt: all rows would go through extract_prompt', pair({ prompt: undefined }), ['column_missing']],
  ['a null column', pair({ emend_contract: null }), ['column_not_text']],
  ['a side that is text while the others are lists', pair({ chosen: '{"a":1}' }), ['messages_not_a_list']],
  ['a content that is no text', pair({ chosen: [message('assistant', { a: 1 })] }), ['content_not_text']],
  ['a message with more than role and content', pair({ chosen: [{ ...message('assistant', '{}'), weight: 1 }] }), ['content_not_text']],
  ['a prompt that ends with system', pair({ prompt: [message('system', 'Answer.')] }), ['prompt_does_not_end_with_user']],
  ['an assistant in the prompt', pair({ prompt: [message('assistant', 'x'), message('user', 'Now.')] }), ['role_wrong']],
  ['a rejected side with role user', pair({ rejected: [message('user', '{"a":2}')] }), ['role_wrong']],
  ['two assistant turns in a row', pair({ chosen: [message('assistant', '{}'), message('assistant', '{"b":1}')] }), ['not_one_answer']],
  ['space around an answer', pair({ chosen: [message('assistant', ' {"a":1}')] }), ['content_has_outer_space']],
  ['equal sides', pair({ rejected: control.chosen }), ['sides_equal']],
  ['a prompt repeated inside chosen', pair({ chosen: [message('assistant', 'Now.{"a":1}')] }), ['prompt_doubled']],
])('%s is a fault', (_what, line, faults) => expect(lineFaults('pairs.jsonl', line)).toEqual(faults));

it('a file is told by line numbers, and every row has the columns of the first', () => {
  const text = `${pair()}\n${pair({ extra: 'x' })}\n\n${pair({ rejected: control.chosen })}\n`;
  expect(fileFaults('pairs.jsonl', text)).toEqual([
    { line: 2, faults: ['columns_differ'] },
    { line: 3, faults: ['blank'] },
    { line: 4, faults: ['sides_equal'] },
  ]);
});

it('a file without rows is empty, not one blank line', () => {
  expect(fileFaults('pairs.jsonl', '')).toEqual([]);
  expect(fileFaults('pairs.jsonl', '\n')).toEqual([{ line: 1, faults: ['blank'] }]);
});
