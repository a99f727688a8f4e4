/** Any path, policies of teams, hours, people and late steps, for properties of walks. */
import fc from 'fast-check';
import type {
  EscalationDocument,
  EscalationNode,
  PathCondition,
  Target,
  WorkingHoursSet,
} from '../../../src/domain/escalation/types.ts';
import { type World } from './slow-walk.ts';

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A Thursday. */
export const START = Date.UTC(2026, 2, 26, 15, 20);

const set = (
  id: string,
  timezone: string,
  ...intervals: WorkingHoursSet['intervals'][number][]
): WorkingHoursSet => ({
  id,
  name: id,
  timezone,
  intervals,
});
const sets = [
  set('berlin', 'Europe/Berlin', {
    weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'],
    start: '09:00',
    end: '17:30',
  }),
  set('night', 'Asia/Kathmandu', { weekdays: ['tue', 'sat', 'sun'], start: '21:15', end: '04:45' }),
  set('brief', 'America/New_York', {
    weekdays: ['mon', 'wed', 'fri'],
    start: '10:00',
    end: '10:20',
  }),
];

const wait = fc.constantFrom('1m', '7m', '20m', '20m', '3h', '30h');
const setId = fc.constantFrom(...sets.map(({ id }) => id));
const condition: fc.Arbitrary<PathCondition> = fc.oneof(
  fc.record({ type: fc.constant('working_hours'), working_hours_id: setId, active: fc.boolean() }),
  fc.record({ type: fc.constant('urgency'), urgency: fc.constantFrom('standard', 'interrupt') }),
  fc.record({
    type: fc.constant('request'),
    when: fc
      .constantFrom('yes', 'no', 'costly')
      .map((id) => ({ id, field: '/request/tool', operator: 'exists' as const })),
  }),
);

const PEOPLE = ['ada', 'ben', 'cleo', 'dan', 'eve'] as const;
const TEAMS = ['ordered', 'other', 'plain', 'empty', 'gone'] as const;
const user = fc.constantFrom(...PEOPLE).map((id): Target => ({ type: 'user', id }));
const team = fc.constantFrom(...TEAMS).map((id): Target => ({ type: 'team', id }));
const broadcast = fc.constant<Target>({ type: 'broadcast' });

function nodesOf(
  target: fc.Arbitrary<Target>,
  most: number,
): fc.Arbitrary<readonly EscalationNode[]> {
  const level = fc.record({
    id: fc.constant(''),
    type: fc.constant('level'),
    targets: fc.uniqueArray(target, {
      minLength: 1,
      maxLength: 3,
      selector: (each) => JSON.stringify(each),
    }),
    escalate_after: wait,
    raise_urgency: fc.boolean(),
  });
  const defer = fc.record({
    id: fc.constant(''),
    type: fc.constant('defer'),
    working_hours_id: setId,
    standard_only: fc.boolean(),
  });
  const { nodes } = fc.letrec<{ nodes: readonly EscalationNode[]; node: EscalationNode }>(
    (tie) => ({
      nodes: fc.array(tie('node'), { maxLength: most, depthIdentifier: 'nodes' }),
      node: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'nodes' },
        // By type, so that the compiler asks for a new type of node.
        ...Object.values({
          level: { weight: 4, arbitrary: level },
          defer: { weight: 2, arbitrary: defer },
          if_else: {
            weight: 2,
            arbitrary: fc.record({
              id: fc.constant(''),
              type: fc.constant('if_else'),
              conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
              then: tie('nodes'),
              else: tie('nodes'),
            }),
          },
        } satisfies Record<EscalationNode['type'], unknown>),
      ) as fc.Arbitrary<EscalationNode>,
    }),
  );
  return nodes;
}

/** Ids in the order of the document. */
function numbered(
  nodes: readonly EscalationNode[],
  prefix: string,
  next = { number: 0 },
): EscalationNode[] {
  return nodes.map((node) => {
    const id = `${prefix}${next.number++}`;
    return node.type === 'if_else'
      ? {
          ...node,
          id,
          then: numbered(node.then, prefix, next),
          else: numbered(node.else, prefix, next),
        }
      : { ...node, id };
  });
}

function documentOf(
  nodes: fc.Arbitrary<readonly EscalationNode[]>,
  prefix: string,
): fc.Arbitrary<EscalationDocument> {
  const repeat = fc.option(fc.record({ times: fc.integer({ min: 1, max: 3 }), after: wait }), {
    nil: undefined,
  });
  return fc.tuple(nodes, repeat).map(([each, again]) => ({
    working_hours: sets,
    nodes: numbered(each, prefix),
    ...(again && { repeat: again }),
  }));
}

const path = documentOf(nodesOf(fc.oneof(user, team, team, broadcast), 4), 'n');
const policy = documentOf(nodesOf(fc.oneof(user, broadcast), 3), 'p');

export interface Scene {
  readonly document: EscalationDocument;
  readonly world: World;
  /** How late each look at the walk comes. */
  readonly delays: readonly number[];
}

const delay = fc.oneof(
  fc.constant(0),
  fc.constant(0),
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: 40 * HOUR }),
);
export const scene: fc.Arbitrary<Scene> = fc
  .record({
    document: path,
    ordered: policy,
    other: policy,
    present: fc.array(fc.subarray([...PEOPLE]), { minLength: 1, maxLength: 6 }),
    everyone: fc.boolean(),
    delays: fc.array(delay, { minLength: 1, maxLength: 8 }),
  })
  .map(({ document, ordered, other, present, everyone, delays }) => ({
    document,
    delays,
    world: {
      policies: { 'ordered-1': ordered, 'other-3': other },
      teams: {
        ordered: { members: ['ada', 'ben', 'cleo'], policy: 'ordered-1' },
        other: { members: ['dan', 'cleo'], policy: 'other-3' },
        plain: { members: ['ben', 'eve'] },
        empty: { members: [], policy: 'ordered-1' },
      },
      // People come and go by the hour.
      deciders: (now) =>
        everyone ? PEOPLE : (present[Math.floor(now / HOUR) % present.length] ?? []),
      holds: ({ id }) => (id === 'costly' ? 'condition_too_costly' : id === 'yes'),
    },
  }));
