/** The picture of a schedule: who is asked when, from the steps of a path's preview. Pure. */
import { secondsAfter } from '../../../../src/domain/notifications/steps.ts';
import type { components } from '../api/openapi.d.ts';
import type { Range } from './zone-times.ts';

export type PathPreview = Pick<
  components['schemas']['EscalationPathPreview'],
  'starts_at' | 'expires_at' | 'steps'
>;
export type PreviewedStep = PathPreview['steps'][number];

export interface Bar extends Range {
  /** Being asked, or waiting for working hours. */
  readonly kind: 'asked' | 'waits';
  readonly nodeId: string;
  /** The request has expired by then. */
  readonly isLate: boolean;
}

/** A person, or people who are asked at the same times. */
export interface Lane {
  readonly key: string;
  /** Empty: no one. */
  readonly names: readonly string[];
  readonly bars: readonly Bar[];
  /** When messages are sent. */
  readonly messages: readonly Omit<Bar, 'to' | 'kind'>[];
}

export interface Schedule extends Range {
  readonly deadline?: number;
  readonly lanes: readonly Lane[];
  /** How many people are in no lane. */
  readonly hidden: number;
  /** When someone is asked for the first time; absent if no one ever is. */
  readonly firstAsked?: number;
}

/** More people with their own times than the picture has lanes. */
const MOST_LANES = 10;
/** Of those without a deadline. The later ones repeat them. */
const SHOWN_RUNS = 2;
/** What is shown of the time after a deadline, as a share of the time before it. */
const AFTER_DEADLINE = 0.25;

const time = (at: string): number => Date.parse(at);
const endOf = ({ at, until }: PreviewedStep): number => time(until ?? at);
const isAsking = ({ kind }: PreviewedStep): boolean => kind === 'level_notified';

export function scheduleOf({
  starts_at: start,
  expires_at: expires,
  steps,
}: PathPreview): Schedule {
  const from = time(start);
  const deadline = expires === undefined ? undefined : time(expires);
  const first = steps.find(isAsking);
  const range = { from, to: endOfPicture({ from, deadline, steps, first }) };
  const shown = steps.filter(({ at }) => time(at) < range.to || time(at) === from);
  const people = peopleOf(shown);
  const lanes = lanesOf(people, { range, deadline });
  return {
    ...range,
    ...(deadline !== undefined && { deadline }),
    lanes: lanes.slice(0, MOST_LANES),
    hidden: lanes.slice(MOST_LANES).reduce((sum, { names }) => sum + names.length, 0),
    ...(first && { firstAsked: time(first.at) }),
  };
}

function endOfPicture({
  from,
  deadline,
  steps,
  first,
}: {
  readonly from: number;
  readonly deadline: number | undefined;
  readonly steps: readonly PreviewedStep[];
  readonly first: PreviewedStep | undefined;
}): number {
  const shown = deadline === undefined ? steps.filter(({ run }) => run <= SHOWN_RUNS) : steps;
  const end = Math.max(from + 60_000, ...shown.map(endOf));
  if (deadline === undefined) return end;
  const late = deadline + (deadline - from) * AFTER_DEADLINE;
  return Math.max(deadline, Math.min(end, Math.max(late, first ? endOf(first) : 0)));
}

interface Asked extends Range {
  readonly kind: Bar['kind'];
  readonly nodeId: string;
  readonly step: number;
  /** When the person gets messages, in milliseconds after they are asked. */
  readonly messages: readonly number[];
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly asked: Asked[];
}

const NO_ONE: Person['id'] = '';

function peopleOf(steps: readonly PreviewedStep[]): readonly Person[] {
  const people = new Map<string, Person>();
  const add = (id: string, name: string, asked: Asked) => {
    const person = people.get(id) ?? { id, name, asked: [] };
    person.asked.push(asked);
    people.set(id, person);
  };
  for (const [index, step] of steps.entries()) {
    const kind = isAsking(step) ? 'asked' : 'waits';
    if (kind === 'waits' && step.kind !== 'deferred') continue;
    const times = { from: time(step.at), to: endOf(step), nodeId: step.node_id, step: index };
    const members = isAsking(step) ? step.members : askedNext(steps, index)?.members;
    for (const { membership_id: id, display_name: name, steps: personal } of members ?? [])
      add(id, name, { ...times, kind, messages: messagesOf(personal) });
    if (!members) add(NO_ONE, '', { ...times, kind, messages: [0] });
  }
  return [...people.values()];
}

/** Without their own steps, a person gets all messages at once. */
const messagesOf = (
  steps: NonNullable<PreviewedStep['members']>[number]['steps'],
): readonly number[] => [
  ...new Set(steps?.map(({ after }) => (secondsAfter(after) ?? 0) * 1_000) ?? [0]),
];

/** The people that a deferral lets wait: those that the walk asks after it. */
function askedNext(steps: readonly PreviewedStep[], index: number): PreviewedStep | undefined {
  const team = steps[index]?.team_id;
  return steps
    .slice(index)
    .find((step) => isAsking(step) && (team === undefined || step.team_id === team));
}

/** In the order in which they are asked. People with the same times share a lane where there are many. */
function lanesOf(
  people: readonly Person[],
  around: { readonly range: Range; readonly deadline: number | undefined },
): readonly Lane[] {
  const groups = new Map<string, Person[]>();
  for (const person of people) {
    const steps = person.asked.map(({ step, messages }) => [step, ...messages].join('+')).join(' ');
    const key = people.length > MOST_LANES ? `${person.id === NO_ONE} ${steps}` : person.id;
    groups.set(key, [...(groups.get(key) ?? []), person]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const names = first.id === NO_ONE ? [] : [first, ...others].map(({ name }) => name);
    return [{ key: first.id, names, ...drawn(first.asked, around) }];
  });
}

function drawn(
  asked: readonly Asked[],
  { range, deadline = Infinity }: { readonly range: Range; readonly deadline?: number | undefined },
): Pick<Lane, 'bars' | 'messages'> {
  const bars = asked.flatMap(({ from, to, kind, nodeId }): Bar[] => {
    const end = Math.min(to, range.to);
    if (from >= deadline || end <= deadline)
      return [{ from, to: end, kind, nodeId, isLate: from >= deadline }];
    return [
      { from, to: deadline, kind, nodeId, isLate: false },
      { from: deadline, to: end, kind, nodeId, isLate: true },
    ];
  });
  const messages = asked
    .flatMap(({ kind, from, nodeId, messages: afters }) =>
      kind === 'asked' ? afters.map((after) => ({ from: from + after, nodeId })) : [],
    )
    .filter(({ from }) => from <= range.to)
    .map((message) => ({ ...message, isLate: message.from >= deadline }));
  return { bars: bars.filter(({ from, to }) => from < to), messages };
}

/**
 * Where instants are in the picture, from 0 to 1. Between two of the times it is linear. No time between
 * two of them is too short to be seen.
 */
export function scaleOf(times: readonly number[]): (at: number) => number {
  const stops = [...new Set(times)].toSorted((one, other) => one - other);
  const gaps = stops.slice(1).map((stop, index) => stop - (stops[index] ?? stop));
  const [first = 0, total] = [stops[0], gaps.reduce((sum, gap) => sum + gap, 0)];
  const least = Math.min(LEAST_SHARE, LEAST_SHARES / Math.max(1, gaps.length));
  const widths = gaps.map((gap) => Math.max(least, gap / total));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  return (at) => {
    let place = 0;
    let stop = first;
    for (const [index, gap] of gaps.entries()) {
      const width = (widths[index] ?? 0) / whole;
      if (at < stop + gap) return place + (width * Math.max(0, at - stop)) / gap;
      place += width;
      stop += gap;
    }
    return gaps.length === 0 ? 0 : 1;
  };
}

const LEAST_SHARE = 0.05;
const LEAST_SHARES = 0.6;

/** All instants at which something begins or ends. */
export const timesOf = ({ from, to, deadline, lanes }: Schedule): readonly number[] => [
  ...[from, to],
  ...(deadline === undefined ? [] : [deadline]),
  ...lanes.flatMap(({ bars }) => bars.flatMap((bar) => [bar.from, bar.to])),
];

/** The times that have room for a label, the most important ones first. In the order of time. */
export function labelledTimes(
  times: readonly number[],
  place: (at: number) => number,
  room: number,
): readonly number[] {
  const kept: number[] = [];
  for (const at of times)
    if (kept.every((other) => Math.abs(place(other) - place(at)) >= room)) kept.push(at);
  return kept.toSorted((one, other) => one - other);
}
