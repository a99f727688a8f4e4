/**
 * A second implementation of the walk, slow and simple: a program that runs from the first node to the last and pauses where
 * it waits. It stores no place and knows no node order. The real walk must do the same.
 */
import { parseDuration } from '../../../src/domain/durations.ts';
import type { Condition } from '../../../src/domain/conditions/document.ts';
import type {
  EscalationDocument,
  EscalationNode,
  LevelNode,
  PathCondition,
  TeamPolicyDocument,
  Urgency,
} from '../../../src/domain/escalation/types.ts';
import { nextOpening } from '../../../src/domain/escalation/working-hours.ts';

/** The world around a walk. Times are milliseconds. */
export interface World {
  readonly policies: Readonly<Record<string, TeamPolicyDocument>>;
  /** By team id. Removed teams are missing. */
  readonly teams: Readonly<
    Record<string, { readonly members: readonly string[]; readonly policy?: string }>
  >;
  readonly deciders: (now: number) => readonly string[];
  readonly holds: (when: Condition) => boolean | 'condition_too_costly';
}

/** Waits until the instant, or until it has to look again earlier. */
type Program<T> = Generator<number, T, undefined>;

interface Stage {
  readonly world: World;
  now: number;
  urgency: Urgency;
  readonly said: string[];
}

interface Script {
  readonly stage: Stage;
  readonly document: EscalationDocument;
  /** Around a team's policy. */
  readonly team?: { readonly id: string; readonly around: string };
  run: number;
  last: string;
}

const wait = (text: string): number => parseDuration(text) ?? Number.NaN;

export interface SlowWalk {
  /** What happened at `now`, and when the next thing is due; undefined at the end. */
  readonly step: (now: number) => {
    readonly said: readonly string[];
    readonly next: number | undefined;
  };
}

export function slowWalk(document: EscalationDocument, world: World): SlowWalk {
  const stage: Stage = { world, now: 0, urgency: 'standard', said: [] };
  let program: Program<unknown> | undefined;
  let next: number | undefined;
  return {
    step: (now) => {
      stage.now = now;
      stage.said.length = 0;
      program ??= wholeDocument(
        { stage, document, run: 1, last: document.nodes.at(-1)?.id ?? '' },
        now,
      );
      do {
        const { done, value } = program.next();
        next = done ? undefined : (value as number);
      } while (next !== undefined && next <= now);
      return { said: [...stage.said], next };
    },
  };
}

function say(script: Script, what: string, nodeId: string): void {
  const { stage, team, run } = script;
  stage.said.push(
    `${stage.now} ${team ? `${team.around} > ${team.id}:` : ''}${nodeId}:${run} ${what}`,
  );
}

function* until(stage: Stage, end: () => number): Program<void> {
  while (stage.now < end()) yield end();
}

function* wholeDocument(script: Script, started: number): Program<void> {
  const { stage, document } = script;
  let at = started;
  for (;;) {
    at = yield* sequence(script, document.nodes, at);
    if (!document.repeat || script.run > document.repeat.times)
      return say(script, 'exhausted', script.last);
    const again = at + wait(document.repeat.after);
    yield* until(stage, () => again);
    at = stage.now;
    script.run += 1;
    say(script, 'repeated', document.nodes[0]?.id ?? '');
  }
}

/** Returns when the last node was over. That may be earlier than the look that finds it. */
function* sequence(
  script: Script,
  nodes: readonly EscalationNode[],
  entered: number,
): Program<number> {
  let at = entered;
  for (const node of nodes) {
    if (node.type === 'level') at = yield* level(script, node);
    else if (node.type === 'defer') at = yield* deferral(script, node, at);
    else {
      const met = node.conditions.every((condition) => meets(script, node.id, condition));
      say(script, met ? 'took then' : 'took else', node.id);
      const branch = met ? node.then : node.else;
      if (branch.length > 0) at = yield* sequence(script, branch, at);
      else script.last = node.id;
      continue;
    }
    script.last = node.id;
  }
  return at;
}

function meets(script: Script, nodeId: string, condition: PathCondition): boolean {
  const { stage, document } = script;
  if (condition.type === 'urgency') return stage.urgency === condition.urgency;
  if (condition.type === 'working_hours') {
    const opens = opening(document, condition.working_hours_id, stage.now);
    return (opens === stage.now) === condition.active;
  }
  const answer = stage.world.holds(condition.when);
  if (answer === 'condition_too_costly') say(script, `failed ${answer}`, nodeId);
  return answer === true;
}

function opening({ working_hours: sets }: EscalationDocument, id: string, now: number): number {
  const set = sets.find((each) => each.id === id);
  if (!set) throw new Error(`no working hours ${id}`);
  return nextOpening(set, new Date(now))?.getTime() ?? Number.NaN;
}

function* deferral(
  script: Script,
  node: EscalationNode & { type: 'defer' },
  entered: number,
): Program<number> {
  const { stage, document } = script;
  const open = opening(document, node.working_hours_id, stage.now);
  const passes = () => node.standard_only && stage.urgency === 'interrupt';
  if (open <= stage.now || passes()) return entered;
  say(script, `deferred ${open}`, node.id);
  while (stage.now < open && !passes()) yield open;
  return Math.min(open, stage.now);
}

function* level(script: Script, node: LevelNode): Program<number> {
  const { stage, team } = script;
  if (node.raise_urgency && stage.urgency === 'standard') {
    stage.urgency = 'interrupt';
    say(script, 'urgent', node.id);
  }
  const { people, policies } = asked(script, node);
  if (people.length === 0 && policies.length === 0) {
    say(script, 'skipped', node.id);
    // Other teams that waited for a higher urgency may be free now, and come first.
    if (team) yield stage.now;
    return stage.now;
  }
  const end = stage.now + wait(node.escalate_after);
  say(script, `notified ${people.join()} ${end}`, node.id);
  const inside = policies.map(({ id, policy }) => {
    const document = stage.world.policies[policy];
    if (!document) throw new Error(`no policy ${policy}`);
    return parallel({
      stage,
      document,
      team: { id, around: `${node.id}:${script.run}` },
      run: 1,
      last: '',
    });
  });
  if (team) {
    yield* until(stage, () => end);
    return end;
  }
  let notified = people.length > 0;
  while (stage.now < end) {
    const before = stage.said.length;
    settle(inside, stage);
    notified ||= stage.said.slice(before).some((line) => line.includes(' notified '));
    if (!notified && inside.every(({ next }) => next === undefined)) {
      say(script, 'skipped', node.id);
      return stage.now;
    }
    yield Math.min(end, ...inside.map(({ next }) => next ?? Infinity));
  }
  return end;
}

interface Parallel {
  readonly script: Script;
  readonly program: Program<void>;
  /** Undefined at the end. */
  next: number | undefined;
}

function parallel(script: Script): Parallel {
  return { script, program: wholeDocument(script, script.stage.now), next: script.stage.now };
}

/** The first team that has something to do does it, until none has. */
function settle(teams: readonly Parallel[], stage: Stage): void {
  for (;;) {
    const due = teams.find(({ next }) => next !== undefined && next <= stage.now);
    if (!due) return;
    const urgency = stage.urgency;
    const { done, value } = due.program.next();
    due.next = done ? undefined : (value as number);
    // A higher urgency ends some deferrals. So every team looks again; the others keep waiting.
    if (stage.urgency !== urgency)
      for (const team of teams) if (team !== due && team.next !== undefined) team.next = stage.now;
  }
}

interface AskedHere {
  readonly people: readonly string[];
  readonly policies: readonly { readonly id: string; readonly policy: string }[];
}

function asked({ stage: { world, now }, team }: Script, node: LevelNode): AskedHere {
  const may = new Set(world.deciders(now));
  const of = (teamId: string) => world.teams[teamId]?.members.filter((id) => may.has(id)) ?? [];
  const everyone = team
    ? world.deciders(now).filter((id) => of(team.id).includes(id))
    : world.deciders(now);
  const people = new Set<string>();
  const policies: { id: string; policy: string }[] = [];
  for (const target of node.targets) {
    if (target.type === 'broadcast') for (const id of everyone) people.add(id);
    else if (target.type === 'user') {
      if (everyone.includes(target.id)) people.add(target.id);
    } else {
      const policy = world.teams[target.id]?.policy;
      const there = of(target.id);
      if (policy === undefined) for (const id of there) people.add(id);
      else if (there.length > 0) policies.push({ id: target.id, policy });
    }
  }
  return { people: [...people], policies };
}
