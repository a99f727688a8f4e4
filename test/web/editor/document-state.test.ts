/** The state of a document that is edited: undo, saving, and another revision that became active. */
import { describe, expect, test } from '@jest/globals';
import {
  changeDocument,
  isChanged,
  isSaved,
  startDocument,
  type DocumentAct,
  type DocumentState,
} from '../../../web/src/shared/editor/document-state.ts';
import { mergeDocuments } from '../../../web/src/shared/editor/merge.ts';
import { malformedAt, readDocument } from '../../../web/src/shared/editor/problems.ts';

const BASE = { revision: 3, text: '{"a":1.0}' };
const after = (...acts: DocumentAct[]): DocumentState =>
  acts.reduce(changeDocument, startDocument(BASE));
const changed = (text: string, group?: string): DocumentAct => ({
  ...{ type: 'changed', text },
  ...(group !== undefined && { group }),
});

describe('a document that is edited', () => {
  test('goes back and forth, one step for the letters of one field', () => {
    const typed = after(
      changed('1'),
      changed('12', '/a'),
      changed('123', '/a'),
      changed('4', '/b'),
    );
    expect(typed.text).toBe('4');
    const once = changeDocument(typed, { type: 'undone' });
    expect(once.text).toBe('123');
    const twice = changeDocument(once, { type: 'undone' });
    expect(twice.text).toBe('1');
    expect(changeDocument(twice, { type: 'redone' }).text).toBe('123');
    // A change after an undo is a step of its own, also in the same field.
    const again = changeDocument(once, changed('1234', '/a'));
    expect(changeDocument(again, { type: 'undone' }).text).toBe('123');
    expect(again.future).toEqual([]);
  });

  test('takes back what was discarded', () => {
    const state = after(changed('{"a":2}'), { type: 'discarded' });
    expect([state.text, isChanged(state)]).toEqual([BASE.text, false]);
    expect(changeDocument(state, { type: 'undone' }).text).toBe('{"a":2}');
  });

  test('knows that its text is a revision that is not active', () => {
    const saved = after(changed('{"a":2}'), {
      type: 'saved',
      saved: { revision: 4, text: '{"a":2}' },
    });
    expect([isSaved(saved), isChanged(saved)]).toEqual([true, true]);
    const base = { revision: 4, text: '{"a":2}' };
    const active = changeDocument(saved, { type: 'rebased', base, text: base.text });
    expect([isSaved(active), isChanged(active)]).toEqual([false, false]);
  });
});

describe('changes of two people', () => {
  const base = '{"blocks":[{"id":"a","n":1.0},{"id":"b","n":2}],"path":"x"}';

  test('are put together by item and member, with the digits of each', () => {
    const { text, clashes } = mergeDocuments({
      base,
      mine: '{"blocks":[{"id":"a","n":1.50},{"id":"c","n":7.0},{"id":"b","n":2}],"path":"x"}',
      theirs: '{"blocks":[{"id":"b","n":2,"more":3e1},{"id":"a","n":1.0}]}',
    });
    expect(clashes).toBe(0);
    expect(text.replaceAll(/\s/g, '')).toBe(
      '{"blocks":[{"id":"b","n":2,"more":3e1},{"id":"a","n":1.50},{"id":"c","n":7.0}]}',
    );
  });

  test('of one place are told, and those of the editor are kept', () => {
    const { text, clashes } = mergeDocuments({
      base,
      mine: base.replace('1.0', '5'),
      theirs: base.replace('1.0', '6'),
    });
    expect(clashes).toBe(1);
    expect(text).toContain('"n": 5');
  });
});

describe('a text that is no JSON', () => {
  test.each([
    ['{"a": 1,}', 8],
    ['{"a": tru}', 9],
    ['{"a": 1', 7],
    ['', 0],
    ['[1 2]', 3],
  ])('%s says where', (text, at) => {
    expect(malformedAt(text)).toBe(at);
    expect(readDocument(text).problem?.message).toContain('not JSON');
  });

  test('names a member that occurs twice', () => {
    expect(readDocument('{"a":{"b":1,"b":2}}').problem).toEqual({
      pointer: '/a/b',
      message: 'This name occurs twice in its object.',
    });
  });
});
