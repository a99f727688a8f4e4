/** How many escalation steps one core takes in a second: the pure part, along a realistic path. */
import type { EscalationPathDocument, WorkingHoursSet } from '../src/domain/escalation/types.ts';
import { arrive, enterLevel, startWalk, type WalkInput } from '../src/domain/escalation/walk.ts';
import { walkFromJson, walkToJson } from '../src/domain/escalation/walk-state.ts';
import { median, round } from './frame/load.ts';

export interface WalkResult {
  /** Steps: a notified level, a started deferral, a started run. */
  readonly steps: number;
  readonly perSecond: number;
  /**
   * The same, with the state written as JSON and read back around each step, as the row stores it.
   */
  readonly perSecondStored: number;
}

const ROUNDS = 5;
const COURSES = 4_000;

const hours = (id: string, timezone: string): WorkingHoursSet => ({
  id,
  name: id,
  timezone,
  intervals: [
    { weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '12:30' },
    { weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '13:15', end: '17:30' },
  ],
});
const level = (id: string, wait: string, raise = false) =>
  ({
    id,
    type: 'level',
    targets: [{ type: 'user', id: `of-${id}` }],
    escalate_after: wait,
    raise_urgency: raise,
  }) as const;

/**
 * By day the office in turn, at night the person on call, then a broadcast. Two more runs follow.
 */
const path: EscalationPathDocument = {
  name: 'Typical',
  working_hours: [hours('berlin', 'Europe/Berlin'), hours('kolkata', 'Asia/Kolkata')],
  nodes: [
    {
      id: 'by-day',
      type: 'if_else',
      conditions: [{ type: 'working_hours', working_hours_id: 'berlin', active: true }],
      then: [level('desk', '15m'), level('lead', '30m')],
      else: [level('on-call', '20m', true)],
    },
    { id: 'morning', type: 'defer', working_hours_id: 'kolkata', standard_only: true },
    level('owner', '2h'),
    level('board', '4h'),
  ],
  repeat: { times: 2, after: '1h' },
};

export function measureWalk(): WalkResult {
  const input: WalkInput = {
    document: path,
    policy: () => {
      throw new Error('no team is asked');
    },
    urgency: 'standard',
    matches: () => true,
  };
  const rate = (stored: boolean): { steps: number; perSecond: number } => {
    let steps = 0;
    const began = performance.now();
    for (let course = 0; course < COURSES; course += 1) steps += walkThrough(input, course, stored);
    return { steps, perSecond: (steps * 1_000) / (performance.now() - began) };
  };
  rate(false);
  const plain = Array.from({ length: ROUNDS }, () => rate(false));
  const kept = Array.from({ length: ROUNDS }, () => rate(true));
  return {
    steps: plain[0]?.steps ?? 0,
    perSecond: round(median(plain.map((each) => each.perSecond))),
    perSecondStored: round(median(kept.map((each) => each.perSecond))),
  };
}

/**
 * A request handed over some minutes after the one before, so that every hour of the week occurs.
 */
function walkThrough(input: WalkInput, course: number, stored: boolean): number {
  let now = new Date(Date.UTC(2026, 2, 23) + course * 151_000);
  let state = startWalk(path);
  let { urgency } = input;
  for (let steps = 1; ; steps += 1) {
    const from = stored ? walkFromJson(JSON.parse(JSON.stringify(walkToJson(state)))) : state;
    const arrival = arrive({ ...input, urgency }, from, now);
    const asked = { membershipIds: arrival.entry ? ['ada', 'ben'] : [], teams: [] };
    const step = enterLevel({ ...input, urgency }, arrival, { now, asked });
    ({ state, urgency } = step);
    if (!step.nextAt) return steps;
    if (step.nextAt > now) now = step.nextAt;
  }
}
