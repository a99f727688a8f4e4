/**
 * The engine's steps over time against a plain program that runs the path: any path, hours, repeats, branches, teams, people,
 * late steps, and claims, during which the program stands still.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NewAuditEvent } from '../../../../src/domain/audit/events.ts';
import { planClaim, planRelease } from '../../../../src/domain/requests/engine/claim.ts';
import { isEmpty, type Effects } from '../../../../src/domain/requests/engine/effects.ts';
import type { StepPlan } from '../../../../src/domain/requests/engine/step.ts';
import { slowWalk } from '../../escalation/slow-walk.ts';
import { HOUR, scene, START, type Scene } from '../../escalation/walk-arbitraries.ts';
import {
  commit,
  decider,
  pathOf,
  planFrom,
  principal,
  viewOf,
  world,
  type World,
} from './engine-scene.ts';

const PEOPLE = ['ada', 'ben', 'cleo', 'dan', 'eve'];
const CLAIMED_MS = 600_000;

function requestOn({ document, world: around }: Scene, deadline: number): World {
  const teams = Object.entries(around.teams).map(([id, { members, policy }]) => {
    const team = {
      members: members.map((membershipId) => ({ membershipId })),
      ...(policy !== undefined && { policyRevisionId: policy }),
    };
    return [id, team] as const;
  });
  const policy = (id: string) => {
    const found = around.policies[id];
    if (!found) throw new Error(`no policy ${id}`);
    return found;
  };
  const at = new Date(START);
  const here = world(
    {
      path: pathOf({ ...document, name: 'Path' }),
      around: { teams: new Map(teams), policy, matches: around.holds },
      deciders: [],
    },
    { createdAt: at, updatedAt: at, deadlineAt: new Date(deadline) },
  );
  here.stored.lastAt = at;
  here.stored.added = ['ada'];
  return here;
}

interface Course {
  readonly each: Scene;
  readonly deadline: number;
  /** After each look: not claimed, claimed until it lapses, or released after so many milliseconds. */
  readonly claims: readonly (undefined | 'lapses' | number)[];
}

/** All people may decide at any time. The walk asks those whose channels are on at that moment. */
function viewAt(here: World, { world: around }: Scene, now: number, people = true) {
  const there = new Set(around.deciders(now));
  here.deciders = PEOPLE.map((id) => decider(id, { isReachable: there.has(id) }));
  return viewOf(here, new Date(now), { people });
}

/** A step as the service takes it: people are read only if the plan needs them. Its effects are what was committed. */
function look(here: World, each: Scene, now: number): StepPlan {
  let planned = planFrom(here, viewAt(here, each, now, false));
  if (planned.step.kind === 'incomplete') planned = planFrom(here, viewAt(here, each, now));
  const { effects, step } = planned;
  if (!effects || isEmpty(effects)) return { step };
  expect(commit(here, effects, new Date(now))).toBe(true);
  return { effects, step };
}

/** What a look leaves in a request. */
interface Trace {
  readonly timeline: string[];
  /** By step: what became of it at the end of the look. */
  readonly steps: Map<string, string>;
  readonly notified: string[];
}

/** As lines, which are compared faster. */
const textOf = ({ timeline, steps, notified }: Trace): string =>
  [
    ...timeline,
    'steps',
    ...[...steps].sort().map((step) => step.join(' ')),
    'notified',
    ...notified,
  ].join('\n');

const nothing = (): Trace => ({ timeline: [], steps: new Map(), notified: [] });

const LINE =
  /^(?<at>\d+) (?<path>\S+)(?: > (?<inside>\S+))? (?<what>\w+)(?: (?<of>[^ ]*))?(?: (?<end>\d+))?$/;

/** By the program. `sent`: steps inside one level send a person one message at an instant. */
function expected(said: readonly string[], sent: Set<string>): Trace {
  const trace = nothing();
  for (const line of said) {
    const { at, path, inside, what, of = '', end } = LINE.exec(line)?.groups ?? {};
    const key = inside === undefined ? `${path}` : `${path}:${inside}`;
    if (what === 'took') continue;
    if (what === 'skipped') trace.steps.set(key, 'skipped');
    if (what !== 'notified') {
      trace.timeline.push(`${key} ${what} ${of}`);
      continue;
    }
    trace.steps.set(key, `notified ${end}`);
    for (const person of of.split(',').filter((each) => each !== '')) {
      trace.notified.push(`${key} ${person}`);
      const message = `${at} ${path} ${person}`;
      if (!sent.has(message)) trace.timeline.push(`${key} notified ${person}`);
      sent.add(message);
    }
  }
  return trace;
}

/** The program's words for the events of a walk. */
const WORDS = new Map([
  ['level_notified', 'notified'],
  ['level_skipped', 'skipped'],
  ['urgency_raised', 'urgent'],
  ['deferred', 'deferred'],
  ['condition_failed', 'failed'],
  ['path_repeated', 'repeated'],
  ['path_exhausted', 'exhausted'],
  ['team_policy_repeated', 'repeated'],
  ['team_policy_exhausted', 'exhausted'],
]);

function lineOf({ eventType, data = {} }: NewAuditEvent): string[] {
  const word = WORDS.get(eventType.replace('approval_request.', ''));
  if (word === undefined) return [];
  const { node_id, run, team_id, team_node_id, team_run, membership_id, until, code } = data;
  const place = [node_id, run, ...(team_id === undefined ? [] : [team_id, team_node_id, team_run])];
  const of = until instanceof Date ? until.getTime() : (membership_id ?? code ?? '');
  return [`${place.join(':')} ${word} ${String(of)}`];
}

/** By the engine. That owners are told is no part of the walk. */
function traced(effects: Effects | undefined): Trace {
  if (!effects) return nothing();
  const isOnPath = ({ stepKey }: { readonly stepKey: string }) =>
    stepKey !== 'unreachable' && !stepKey.startsWith('claim_lapsed:');
  const steps = effects.steps
    .filter(isOnPath)
    .map(({ stepKey, kind, escalateAt }) =>
      kind === 'notified'
        ? ([stepKey, `notified ${escalateAt?.getTime()}`] as const)
        : ([stepKey, kind] as const),
    );
  const notified = effects.notifications
    .filter(isOnPath)
    .map(({ stepKey, membershipId }) => `${stepKey} ${membershipId}`);
  return { timeline: effects.events.flatMap(lineOf), steps: new Map(steps), notified };
}

/** Ada claims the request, and releases it or lets the claim lapse. Returns when it is over. */
function whileClaimed(here: World, each: Scene, now: number, ends: 'lapses' | number): number {
  const act = { principal: principal('ada'), path: here.path, decisionId: randomUUID() };
  const claiming = planClaim(viewAt(here, each, now), { ...act, claimId: randomUUID() });
  if (!claiming.effects) throw new Error('the claim writes nothing');
  expect(commit(here, claiming.effects, new Date(now))).toBe(true);
  const end = now + (ends === 'lapses' ? CLAIMED_MS : ends);
  // Levels have fallen due by then.
  const midway = look(here, each, end - 1);
  expect(textOf(traced(midway.effects))).toBe(textOf(nothing()));
  const until = midway.step.kind === 'wait' && midway.step.until.getTime();
  expect(until).toBe(now + CLAIMED_MS);
  if (ends === 'lapses') return end;
  const releasing = planRelease(viewAt(here, each, end), act);
  if (!releasing.effects) throw new Error('the release writes nothing');
  expect(commit(here, releasing.effects, new Date(end))).toBe(true);
  return end;
}

/** Compares every look, until the request expires. */
function compare({ each, deadline, claims }: Course): void {
  const here = requestOn(each, deadline);
  const program = slowWalk(each.document, each.world);
  const sent = new Set<string>();
  let now = START;
  for (let n = 0; n < 2_000; n += 1) {
    const { effects, step } = look(here, each, now);
    if (now >= deadline) {
      expect([step.kind, here.stored.request.state]).toEqual(['done', 'expired']);
      return;
    }
    const { said, next } = program.step(now);
    expect(textOf(traced(effects))).toBe(textOf(expected(said, sent)));
    const until = Math.min(next ?? deadline, deadline);
    expect(step.kind === 'wait' && step.until.getTime()).toBe(until);
    const claim = claims[n % claims.length];
    const at = now + 1_000;
    const isClaimed = claim !== undefined && at + CLAIMED_MS < deadline;
    const end = isClaimed ? whileClaimed(here, each, at, claim) : now;
    now = Math.max(end, until + (each.delays[n % each.delays.length] ?? 0));
  }
  throw new Error('the request does not end');
}

const claim = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.constant<'lapses'>('lapses'),
  fc.integer({ min: 2_000, max: CLAIMED_MS - 1 }),
);
const course: fc.Arbitrary<Course> = fc.record({
  each: scene,
  deadline: fc.constantFrom(2, 30, 400, 10_000).map((hours) => START + hours * HOUR + 17),
  claims: fc.array(claim, { minLength: 1, maxLength: 6 }),
});

test('every step does what a plain program of the path does, and waits as long', () => {
  fc.assert(fc.property(course, compare), { numRuns: 300 });
});
