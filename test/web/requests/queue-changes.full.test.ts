import { describe, expect, test } from '@jest/globals';
import {
  arrivalsOf,
  NO_CHANGES,
  rowsOf,
  withChanges,
  type ChangeLog,
  type Page,
  type Summary,
} from '../../../web/src/areas/requests/queue/change-log.ts';
import { stillChosen } from '../../../web/src/areas/requests/queue/batch-deny/selection.ts';

/** Later minutes are newer. */
import { groupStarts } from '../../../web/src/areas/requests/queue/row-groups.ts';

const instant = (minute: number): string => new Date(minute * 60_000).toISOString();

const request = (id: string, more: Partial<Summary> = {}): Summary => ({
  id,
  organization_id: 'acme',
  agent_slug: 'bot',
  agent_name: 'Support bot',
  agent_instance_id: 'one',
  agent_instance_name: 'worker',
  tool: `tool_${id}`,
  status: 'pending',
  created_at: instant(1),
  updated_at: instant(1),
  deadline_at: instant(60),
  arguments_bytes: 2,
  excerpt: '',
  urgency: 'standard',
  requester_state: 'active',
  identical_pending: 1,
  notified_at: instant(1),
  routing: { state: 'waiting' },
  can_decide: true,
  can_claim: true,
  ...more,
});

const page = (sentAt: number, requests: readonly Summary[], next?: string): Page => ({
  requests,
  next,
  ...{ sentAt, readAt: 0 },
});

const ids = (requests: readonly Summary[]): string[] => requests.map(({ id }) => id);
const [changed, gone]: [Summary[], string[]] = [[], []];
const arrivals = (log: ChangeLog, pages: readonly Page[], search = {}): string[] =>
  ids(arrivalsOf(log, { pages, search, member: 'me' }));

describe('a list with the changes since it was read', () => {
  test('keeps its order, drops what is gone, and shows rows as they are now', () => {
    const pages = [page(10, [request('c'), request('b'), request('a')])];
    const claimed = request('b', { updated_at: instant(2), can_claim: false });
    const log = withChanges(NO_CHANGES, { changed: [claimed], gone: ['c'] }, 20);
    expect(rowsOf(pages, log)).toEqual([claimed, request('a')]);
    expect(ids(rowsOf(pages, NO_CHANGES))).toEqual(['c', 'b', 'a']);
  });

  test('does not bring back what left while a page was under way', () => {
    const log = withChanges(NO_CHANGES, { changed, gone: ['a'] }, 15);
    expect(ids(rowsOf([page(10, [request('a'), request('b')])], log))).toEqual(['b']);
    expect(ids(rowsOf([page(10, [request('b')]), page(14, [request('a')])], log))).toEqual(['b']);
  });

  test('shows a page that was asked for after a change as it was read', () => {
    const before = withChanges(NO_CHANGES, { changed, gone: ['a'] }, 15);
    expect(ids(rowsOf([page(20, [request('a')])], before))).toEqual(['a']);
  });

  test('shows the newer of a row and a change that crossed it', () => {
    const row = request('a', { updated_at: instant(3) });
    const older = request('a', { updated_at: instant(2), can_claim: false });
    const log = withChanges(NO_CHANGES, { changed: [older], gone }, 15);
    expect(rowsOf([page(10, [row])], log)).toEqual([row]);
  });

  test('names a request once that two pages have', () => {
    const pages = [page(10, [request('b'), request('a')]), page(20, [request('a')])];
    expect(ids(rowsOf(pages, NO_CHANGES))).toEqual(['b', 'a']);
  });

  test('keeps decided requests, which are gone from what waits', () => {
    const log = withChanges(NO_CHANGES, { changed, gone: ['a'] }, 20);
    const decided = request('a', { status: 'approved' });
    expect(rowsOf([page(10, [decided])], log)).toEqual([decided]);
  });

  test('takes a request back that was gone', () => {
    const left = withChanges(NO_CHANGES, { changed, gone: ['a'] }, 20);
    const back = withChanges(left, { changed: [request('a')], gone }, 30);
    expect(ids(rowsOf([page(10, [request('a')])], back))).toEqual(['a']);
  });
});

describe('arrivals', () => {
  test('are requests that came after the list was read, newest last, and no rows', () => {
    const log = withChanges(NO_CHANGES, { changed: [request('c'), request('b')], gone }, 20);
    const pages = [page(10, [request('a')])];
    expect(arrivals(log, pages)).toEqual(['b', 'c']);
    expect(ids(rowsOf(pages, log))).toEqual(['a']);
    expect(arrivals(log, [page(30, [request('a')])])).toEqual([]);
    expect(arrivals(withChanges(log, { changed, gone: ['b'] }, 25), pages)).toEqual(['c']);
  });

  test('are only those that the tab and its filters would show', () => {
    const claim = { membership_id: 'me', display_name: 'Me', claimed_at: '', expires_at: '' };
    const { notified_at: _, ...others } = request('others', { can_decide: false });
    const log = withChanges(
      NO_CHANGES,
      {
        changed: [
          request('mine', { claim } as Partial<Summary>),
          request('urgent', { urgency: 'interrupt' }),
          others,
        ],
        gone,
      },
      20,
    );
    const pages = [page(10, [])];
    expect(arrivals(log, pages)).toEqual(['urgent', 'mine']);
    expect(arrivals(log, pages, { tab: 'all' })).toEqual(['others', 'urgent', 'mine']);
    expect(arrivals(log, pages, { claimed: 'me' })).toEqual(['mine']);
    expect(arrivals(log, pages, { urgency: 'interrupt' })).toEqual(['urgent']);
    expect(arrivals(log, pages, { q: 'TOOL_MINE' })).toEqual(['mine']);
    expect(arrivals(log, pages, { tab: 'decided' })).toEqual([]);
    const withoutFactor = { changed: [request('asked', { can_decide: false })], gone };
    const asked = withChanges(NO_CHANGES, withoutFactor, 20);
    expect(arrivals(asked, pages)).toEqual(['asked']);
    expect(arrivals(asked, pages, { tab: 'mine' })).toEqual([]);
  });

  test('are not those that come behind the rows that were read', () => {
    const [old, fresh] = [
      request('old', { created_at: instant(1), deadline_at: instant(5) }),
      request('fresh', { created_at: instant(9), deadline_at: instant(90) }),
    ];
    const log = withChanges(NO_CHANGES, { changed: [fresh, old], gone }, 20);
    const row = request('row', { created_at: instant(5), deadline_at: instant(50) });
    expect(arrivals(log, [page(10, [row], 'more')], { sort: 'created' })).toEqual(['fresh']);
    expect(arrivals(log, [page(10, [row], 'more')])).toEqual(['old']);
    const urgent = withChanges(log, { changed: [{ ...fresh, urgency: 'interrupt' }], gone }, 21);
    expect(arrivals(urgent, [page(10, [row], 'more')])).toEqual(['old', 'fresh']);
    const above = request('above', { urgency: 'interrupt', deadline_at: instant(99) });
    expect(arrivals(log, [page(10, [above], 'more')])).toEqual([]);
    expect(arrivals(log, [page(10, [row])])).toEqual(['old', 'fresh']);
  });
});

describe('a selection', () => {
  const chosen = new Map([request('a'), request('b'), request('c')].map((each) => [each.id, each]));

  test('keeps what is as it was selected, and names what was answered or changed since', () => {
    const rows = [request('a'), request('b', { updated_at: instant(2) }), request('d')];
    const { selected, dropped } = stillChosen(chosen, rows);
    expect([ids(selected), ids(dropped)]).toEqual([['a'], ['b', 'c']]);
  });

  test('drops what the reader can no longer decide', () => {
    const rows = [request('a', { can_decide: false }), request('b'), request('c')];
    expect(ids(stillChosen(chosen, rows).dropped)).toEqual(['a']);
  });

  test('stays while a list is read again', () => {
    expect(ids(stillChosen(chosen, undefined).selected)).toEqual(['a', 'b', 'c']);
  });
});

describe('the groups of the queue', () => {
  const row = (minutes: number, urgency: 'interrupt' | 'standard' = 'standard') => ({
    urgency,
    deadline_at: new Date(minutes * 60_000).toISOString(),
  });

  test('begin where what is urgent, soon and later begins', () => {
    const rows = [row(200, 'interrupt'), row(5), row(59), row(60), row(900)];
    expect([...groupStarts(rows, 0)]).toEqual([
      [0, 'urgent'],
      [1, 'soon'],
      [3, 'later'],
    ]);
    expect([...groupStarts([row(900)], 0)]).toEqual([[0, 'later']]);
  });

  test('begin once, also where a row became urgent in its place', () => {
    expect([...groupStarts([row(5), row(900), row(901, 'interrupt'), row(902)], 0)]).toEqual([
      [0, 'soon'],
      [1, 'later'],
    ]);
  });
});
