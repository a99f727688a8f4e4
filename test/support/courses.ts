/** The course of a request as lines to compare: what happened, to whom, at which node, how many minutes after an instant. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { TestApp } from './app.ts';
import { eventsOf, handleOf, timelineOf, type HistoryEvent, type TimelineEvent } from './temporal.ts';

const MINUTE_MS = 60_000;

/** Names for the ids that events carry: nodes, teams. */
export type Names = Readonly<Record<string, string>>;

/** The timeline from the hand-over on, in minutes since it or since `from`: `60 level_notified Ben at second in team:inner`. */
export async function courseOf(app: TestApp, requestId: string, names: Names, from?: Date): Promise<string[]> {
  const timeline = await timelineOf(app, requestId);
  const routed = timeline.findIndex(({ type }) => type === 'approval_request.routed');
  const since = (from ?? timeline[routed]?.at)?.getTime() ?? Number.NaN;
  return timeline.slice(routed + 1).map((event) => {
    // Steps take their time, on a busy machine some seconds, and each wait counts from the step before.
    const minutes = Math.round((event.at.getTime() - since) / MINUTE_MS);
    return `${minutes} ${lineOf(event, names)}`;
  });
}

function lineOf({ type, data }: TimelineEvent, names: Names): string {
  const name = (key: string): string | undefined => {
    const id = data[key];
    return typeof id === 'string' ? (names[id] ?? id) : undefined;
  };
  const word = (key: string): string | undefined => (data[key] === undefined ? undefined : String(data[key] as string | number));
  const inside = name('team_id') !== undefined && `in ${name('team_id') ?? ''}: ${name('team_node_id') ?? ''} ${word('team_run') ?? ''}`;
  const node = name('node_id') !== undefined && `at ${name('node_id') ?? ''} ${word('run') ?? ''}`;
  return [type.replace('approval_request.', ''), word('display_name'), node, inside].filter(Boolean).join(' ');
}

/** One line for each timer the workflow has started, as the Temporal UI shows them. */
export async function timerSummariesOf(app: TestApp, requestId: string): Promise<string[]> {
  return (await eventsOf(app, requestId)).flatMap((event) => (event.timerStartedEventAttributes ? [summaryOf(event)] : []));
}

function summaryOf({ userMetadata }: HistoryEvent): string {
  return userMetadata?.summary ? String(defaultPayloadConverter.fromPayload(userMetadata.summary)) : '';
}

/** What the Temporal UI shows as the current details of the request's workflow. */
export async function detailsOf(app: TestApp, requestId: string): Promise<string> {
  const { currentDetails } = await handleOf(app, requestId).query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return currentDetails;
}
