import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { linesBetween, linesOfUnified } from '../../../web/src/shared/call/diff-lines.ts';
import { fitsSearch } from '../../../web/src/areas/requests/queue/queue-search.ts';
import { routedSteps } from '../../../web/src/areas/requests/timeline/routed-steps.ts';
import { scheduleOf } from '../../../web/src/shared/schedule/schedule.ts';

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

describe('the picture of a schedule', () => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
  const request = { created_at: at(0), deadline_at: at(60) };

  const level = (name: string, more: object) => ({
    ...{ node_id: name, run: 1, status: 'done' as const },
    targets: [
      {
        type: 'user' as const,
        name,
        members: [{ membership_id: name, display_name: name, can_decide: true }],
      },
    ],
    ...more,
  });
  const drawn = (given: Parameters<typeof routedSteps>[0], levels: ReturnType<typeof level>[]) =>
    scheduleOf(routedSteps(given, { state: 'waiting', levels })).lanes.map(({ names, bars }) => [
      names.join(),
      ...bars.map(({ from, to }) => `${from / 60_000}-${to / 60_000}`),
    ]);

  test('has who was asked and who will be asked in time, each until the next one', () => {
    const levels = [
      level('Mia', { notified_at: at(0), escalate_at: at(15) }),
      level('Ada', { planned_at: at(15) }),
      level('Gus', { planned_at: at(45) }),
      level('Too late', { planned_at: at(60) }),
      level('Paused', {}),
    ];
    expect(drawn(request, levels)).toEqual([
      ['Mia', '0-15'],
      ['Ada', '15-45'],
      ['Gus', '45-60'],
    ]);
  });

  test('ends at the decision, and asks everyone where there is no path', () => {
    const decision = { decided_at: at(30) } as NonNullable<
      Parameters<typeof routedSteps>[0]['decision']
    >;
    const asked = level('Mia', { notified_at: at(10), escalate_at: at(50) });
    expect(drawn({ ...request, decision }, [asked])).toEqual([['Mia', '10-30']]);
    const { steps } = routedSteps(request, { state: 'unrouted', levels: [] });
    expect(steps[0]?.members).toMatchObject([{ display_name: 'Everyone who may decide' }]);
  });
});

describe('a request that arrives', () => {
  const request = {
    ...{ id: '01a2', tool: 'refund', server: 'billing', agent_slug: 'bot', agent_name: 'Support' },
    ...{ agent_instance_name: 'one', urgency: 'standard', can_decide: true },
    excerpt: 'Refund 4999.99 EUR of pay_19',
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
    ['found by words of its row', asked, { q: 'refund  4999.99 SUPPORT' }, true],
    ['of another agent', asked, { agent: 'other' }, false],
    ['of its agent and tool', asked, { agent: 'bot', tool: 'refund' }, true],
    ['not found', asked, { q: 'refund deploy' }, false],
    ['of another urgency', asked, { urgency: 'interrupt' }, false],
    ['claimed by the reader', mine, { tab: 'all', claimed: 'me' }, true],
    ['claimed by the reader, among the unclaimed', mine, { tab: 'all', claimed: 'nobody' }, false],
  ] as const)('%s', (_name, arrived, search, fits) => {
    expect(fitsSearch(arrived, search, 'me')).toBe(fits);
  });
});
