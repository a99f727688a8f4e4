/**
 * The course of a request as lines to compare: what happened, to which person, at which node, how
 * many minutes after an instant.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestApp } from '../app.ts';
import {
  eventsOf,
  handleOf,
  timelineOf,
  type HistoryEvent,
  type TimelineEvent,
} from '../temporal.ts';

const MINUTE_MS = 60_000;

/** Names for the ids in events: nodes, teams. */
export type Names = Readonly<Record<string, string>>;

export interface CourseOptions {
  /** Default: the hand-over to people. */
  readonly from?: Date;
  /**
   * Instants are rounded to this many minutes. Default 5: steps take time, and each wait counts
   * from the step before.
   */
  readonly grain?: number;
}

/**
 * The timeline from the hand-over on. An event an hour later is `60 level_notified Ben at outer 1
 * in team: first 1`.
 */
export async function courseOf(
  app: TestApp,
  requestId: string,
  names: Names,
  options: CourseOptions = {},
): Promise<string[]> {
  const { from, grain = 5 } = options;
  const timeline = await timelineOf(app, requestId);
  const routed = timeline.findIndex(({ type }) => type === 'approval_request.routed');
  const since = (from ?? timeline[routed]?.at)?.getTime() ?? Number.NaN;
  return timeline.slice(routed + 1).map((event) => {
    const minutes = Math.round((event.at.getTime() - since) / (grain * MINUTE_MS)) * grain;
    return `${minutes} ${lineOf(event, names)}`;
  });
}

function lineOf({ type, data }: TimelineEvent, names: Names): string {
  const name = (key: string): string | undefined => {
    const id = data[key];
    return typeof id === 'string' ? (names[id] ?? id) : undefined;
  };
  const word = (key: string): string | undefined =>
    data[key] === undefined ? undefined : String(data[key] as string | number);
  const inside =
    name('team_id') !== undefined &&
    `in ${name('team_id') ?? ''}: ${name('team_node_id') ?? ''} ${word('team_run') ?? ''}`;
  const node = name('node_id') !== undefined && `at ${name('node_id') ?? ''} ${word('run') ?? ''}`;
  return [type.replace('approval_request.', ''), word('display_name'), node, inside]
    .filter(Boolean)
    .join(' ');
}

/** One line for each timer that the workflow has started, as the Temporal UI shows them. */
export async function timerSummariesOf(app: TestApp, requestId: string): Promise<string[]> {
  return (await eventsOf(app, requestId)).flatMap((event) =>
    event.timerStartedEventAttributes ? [summaryOf(event)] : [],
  );
}

function summaryOf({ userMetadata }: HistoryEvent): string {
  return userMetadata?.summary
    ? String(defaultPayloadConverter.fromPayload(userMetadata.summary))
    : '';
}

/** The current details of the request's workflow in the Temporal UI. */
export async function detailsOf(app: TestApp, requestId: string): Promise<string> {
  const { currentDetails } = await handleOf(app, requestId).query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  );
  return currentDetails;
}
