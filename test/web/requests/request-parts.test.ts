import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linesBetween, linesOfUnified } from '../../../web/src/areas/requests/call/diff-lines.ts';
import {
  mainValuesOf,
  presentCall,
  type Field,
  type Presentation,
} from '../../../web/src/areas/requests/call/presented-call.ts';
import { fitsSearch } from '../../../web/src/areas/requests/queue/queue-search.ts';
import { scaleOf } from '../../../web/src/areas/requests/timeline/timeline-scale.ts';
import { rowsOf } from '../../../web/src/exact/json-rows.ts';
import { readSource, SourceValue } from '../../../web/src/exact/source-values.ts';

describe('a change', () => {
  test('of two texts has each old line and each new line, in their order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const between = linesBetween(old.join('\n'), now.join('\n'));
        const textOf = (other: string) =>
          between.filter(({ kind }) => kind !== other).map(({ text }) => text);
        expect(textOf('added').join('\n')).toBe(old.join('\n'));
        expect(textOf('removed').join('\n')).toBe(now.join('\n'));
      }),
    );
  });

  test('in unified form keeps its lines and says what they are', () => {
    expect(linesOfUnified('--- a\n+++ b\n@@ -1 +1 @@\n same\n-old\n+new')).toEqual([
      { kind: 'header', text: '--- a' },
      { kind: 'header', text: '+++ b' },
      { kind: 'header', text: '@@ -1 +1 @@' },
      { kind: 'same', text: 'same' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
    ]);
  });

  test('in unified form never takes a line of a change for a header', () => {
    const kinds = linesOfUnified('--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- drop\n-x\n+++ y').map(
      ({ kind, text }) => `${kind} ${text}`,
    );
    expect(kinds.slice(3)).toEqual(['removed -- drop', 'removed x', 'added ++ y']);
    expect(linesOfUnified('+++ rm -rf /')).toEqual([{ kind: 'added', text: '++ rm -rf /' }]);
  });

  const shown = (diff: string) =>
    linesOfUnified(`--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n${diff}`)
      .slice(5)
      .map(({ kind, text }) => `${kind} ${text}`);

  test.each([
    [
      'a pair without a hunk',
      '--- drop\n+++ all\nrm',
      ['removed -- drop', 'added ++ all', 'same rm'],
    ],
    ['a single line', '--- drop\n@@ -1 +1 @@', ['removed -- drop', 'header @@ -1 +1 @@']],
    ['a line that only begins like one', 'diff all\nindex 1', ['same diff all', 'same index 1']],
    [
      'a hunk without counts',
      '--- a\n+++ b\n@@ all',
      ['removed -- a', 'added ++ b', 'same @@ all'],
    ],
  ])('in unified form takes %s behind a hunk for content', (_what, diff, lines) => {
    expect(shown(diff)).toEqual(lines);
  });

  test.each([
    ['of a file', ['--- a', '+++ b', '@@ -0,0 +1,2 @@']],
    ['of git', ['diff --git a/a b/b', 'index 1..2 100644', '--- a/a', '+++ b/b', '@@ -1,2 +1 @@']],
    ['of a renamed file', ['diff --git a/a b/b', 'similarity index 100%', 'rename from a']],
  ])('in unified form knows the header %s behind a hunk', (_what, lines) => {
    expect(shown(lines.join('\n'))).toEqual(lines.map((line) => `header ${line}`));
  });

  test('in unified form counts no line that says that a line end is missing', () => {
    const end = String.raw`\ No newline at end of file`;
    const kinds = linesOfUnified(`@@ -1,2 +1 @@\n-a\n${end}\n+b\n--- c\n+++ d\n@@ -1 +1 @@`).map(
      ({ kind, text }) => `${kind} ${text}`,
    );
    expect(kinds.slice(4)).toEqual(['removed -- c', 'added ++ d', 'header @@ -1 +1 @@']);
  });

  test('in unified form never loses a character, whatever it is', () => {
    const lines = fc.constantFrom(
      ...[
        '--- a',
        '+++ b',
        '@@ -1,2 +1 @@',
        '@@ -1 +1 @@',
        'diff --git a b',
        'index 1',
        '-x',
        '+y',
      ],
      ...[' z', '', 'w', String.raw`\ No newline`],
    );
    const signs = { added: '+', removed: '-', same: '', header: '' };
    fc.assert(
      fc.property(fc.array(lines), (diff) => {
        const again = linesOfUnified(diff.join('\n')).map(({ kind, text }) => signs[kind] + text);
        expect(again.join('\n')).toBe(diff.map((line) => line.replace(/^ /, '')).join('\n'));
      }),
    );
  });
});

describe('the picture of a timeline', () => {
  test('keeps the order of events and folds long idle times', () => {
    const { marks, folds } = scaleOf([0, 1, 3_601, 3_603]);
    const places = marks.map(({ at }) => at);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect([places[0], places.at(-1)]).toEqual([0, 1]);
    expect(folds).toEqual([{ from: places[1], to: places[2], seconds: 3_600 }]);
  });

  test('has every place inside of it, whatever the times are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000)), (seconds) => {
        const { marks, folds } = scaleOf([...seconds].sort((one, other) => one - other));
        expect(marks).toHaveLength(seconds.length);
        for (const at of [
          ...marks.map((mark) => mark.at),
          ...folds.flatMap(({ from, to }) => [from, to]),
        ])
          expect(at >= 0 && at <= 1.000_001).toBe(true);
      }),
    );
  });
});

describe('a presentation', () => {
  const presentation: Presentation = {
    source: 'built_in',
    title: 'Refund {/amount} of {/gone}{/id}',
    fields: [
      { path: '/amount', label: 'Amount', kind: 'money', role: 'primary' },
      { path: '/meta', label: 'Meta', kind: 'json' },
      { path: '/meta/a', label: 'A', kind: 'text' },
    ],
  };
  const shown = presentCall(
    presentation,
    readSource('{"id":"p1","amount":1.10,"meta":{"a":1,"b":2},"hidden":[1,2]}') as SourceValue,
  );

  test('fills its title from the arguments, digit by digit', () => {
    expect(shown?.title.map((part) => (part instanceof SourceValue ? part.source : part))).toEqual([
      'Refund ',
      '1.10',
      ' of ',
      '"p1"',
    ]);
  });

  test('names what decides: its primary fields, or else the first short value', () => {
    const whole = readSource('{"long":[1],"id":"p1","amount":1.10}');
    const named = (...of: Parameters<typeof mainValuesOf>) =>
      mainValuesOf(...of).map(({ label, value }) => `${label} ${value.source}`);
    expect(named(shown, whole)).toEqual(['Amount 1.10']);
    expect(named(undefined, whole)).toEqual(['"id" "p1"']);
    expect(mainValuesOf(undefined, undefined)).toEqual([]);
  });

  describe('with a sensitive field', () => {
    const field = (path: string, of: Partial<Field> = {}): Field => ({
      ...{ path, label: path, kind: 'json' },
      ...of,
    });
    const secret = (path: string) => field(path, { role: 'sensitive' });
    const whole = readSource(
      '{"config":{"url":"u","token":"t"},"rows":[{"n":"a"},{"n":"b"}],"before":"x","after":"y","open":1}',
    ) as SourceValue;
    const call = (title: string, ...fields: Field[]) =>
      presentCall({ source: 'built_in', title, fields }, whole);
    const hiddenOf = (...fields: Field[]) =>
      call('', ...fields)?.fields.flatMap(({ isHidden, field: { path } }) =>
        isHidden ? [path] : [],
      );

    test('hides it inside another field, as in all arguments', () => {
      const shown = call('', field('/config', { role: 'primary' }), secret('/config/token'));
      expect(shown?.fields.map(({ isHidden }) => isHidden)).toEqual([false, true]);
      const drawn = rowsOf(whole.at('/config') as SourceValue, shown?.sensitive);
      expect(drawn.map(({ part }) => part)).toEqual(['open', 'value', 'sensitive', 'close']);
      expect(mainValuesOf(shown, whole).map(({ sensitive }) => sensitive)).toEqual([
        shown?.sensitive,
      ]);
    });

    test('hides a part of it in another field, also from the confirmation', () => {
      const fields = [field('/config/url', { role: 'primary' }), secret('/config'), field('/open')];
      expect(hiddenOf(...fields)).toEqual(['/config/url', '/config']);
      expect(mainValuesOf(call('', ...fields), whole).map(({ label }) => label)).toEqual(['/open']);
    });

    test('hides lists, tables and changes that have it', () => {
      const item = { fields: [{ path: '/n', label: 'N', kind: 'text' as const }] };
      const rows = field('/rows', { kind: 'table', item });
      expect(hiddenOf(rows, secret('/rows/0/n'))).toEqual(['/rows', '/rows/0/n']);
      const list = field('/rows', { kind: 'list' });
      expect(hiddenOf(list, secret('/rows/1'))).toEqual(['/rows', '/rows/1']);
      const change = field('/open', { kind: 'diff', before: '/before', after: '/after' });
      expect(hiddenOf(change, secret('/before'))).toEqual(['/open', '/before']);
      expect(hiddenOf(rows, list, change, secret('/config'))).toEqual(['/config']);
    });

    test('hides both sides of a sensitive change in all arguments', () => {
      const change = { kind: 'diff', before: '/before', after: '/after' } as const;
      const shown = call('', field('/open', { ...change, role: 'sensitive' }));
      expect(shown?.sensitive).toEqual(
        new Set(['/open', '/before', '/after'].map((path) => whole.at(path)?.offset)),
      );
    });

    test.each([
      ['it', '{/config/token}'],
      ['what has it', '{/config}'],
    ])('hides %s in the title', (_what, title) => {
      const shown = call(`Set ${title} {/open}`, secret('/config/token'));
      expect(shown?.title.map((part) => (typeof part === 'string' ? part : part.kind))).toEqual([
        'Set ',
        'sensitive',
        ' ',
        'number',
      ]);
    });
  });

  test('names the currency with the amount, whatever its role is', () => {
    const paid = presentCall(
      {
        ...presentation,
        fields: [...presentation.fields, { path: '/currency', label: 'Unit', kind: 'text' }],
      },
      readSource('{"amount":1.10,"currency":"EUR"}') as SourceValue,
    );
    expect(mainValuesOf(paid, undefined).map(({ label }) => label)).toEqual(['Amount', 'Unit']);
  });

  test('says how many values it leaves out', () => {
    expect(shown?.leftOut).toBe(3);
  });
});

describe('a request that arrives', () => {
  const request = {
    ...{ id: '01a2', tool: 'refund', server: 'billing', agent_slug: 'bot', agent_name: 'Support' },
    ...{ agent_instance_name: 'one', urgency: 'standard', can_decide: true },
  };
  const asked = { ...request, notified_at: '2026-11-22T12:00:00.000Z' };
  const mine = { ...request, claim: { membership_id: 'me' } };

  test.each([
    ['asked, in the first tab', asked, {}, true],
    ['not asked, in the first tab', request, {}, false],
    ['not asked, among those one can decide', request, { tab: 'mine' }, true],
    ['only readable, among those', { ...request, can_decide: false }, { tab: 'mine' }, false],
    ['only readable, among all', { ...request, can_decide: false }, { tab: 'all' }, true],
    ['pending, among decided ones', asked, { tab: 'decided' }, false],
    ['found by its server', asked, { q: 'BILL' }, true],
    ['not found', asked, { q: 'deploy' }, false],
    ['of another urgency', asked, { urgency: 'interrupt' }, false],
    ['claimed by the reader', mine, { tab: 'all', claimed: 'me' }, true],
    ['claimed by the reader, among the unclaimed', mine, { tab: 'all', claimed: 'nobody' }, false],
  ] as const)('%s', (_name, arrived, search, fits) => {
    expect(fitsSearch(arrived, search, 'me')).toBe(fits);
  });
});
