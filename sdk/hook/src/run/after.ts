/**
 * After a call: compares what ran with what was approved, and tells the service. Another call than the approved one stops the
 * session: its next calls are denied until a person has looked.
 */
import type { Credentials } from '../../../typescript/src/credentials.ts';
import { digestOf } from '../../../typescript/src/digests.ts';
import { canonical, itemsOf, membersOf, type Members } from '../../../typescript/src/exact.ts';
import { stopSession, takeKept, type Kept, type Stop } from './kept.ts';
import { report, type Result } from './results.ts';
import { textAt } from './events.ts';
import { endTurn } from './turns.ts';

/** The agent waits meanwhile. */
const REPORT_MS = 5_000;
const REPORT_STOP_MS = 15_000;
const SHOWN = 800;

export interface After {
  readonly runtime: string;
  readonly scope: string;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

/** Why the session is stopped. Undefined: what ran is what was approved. */
export async function compareAfter(event: Members, after: After): Promise<string | undefined> {
  const session = textAt(event, 'session_id');
  if (textAt(event, 'hook_event_name') === 'PostToolBatch') {
    await reportRefused(event, session, after);
    return undefined;
  }
  const kept = await ended(event, session, after);
  const difference = differenceOf(event, kept);
  if (difference === undefined) {
    if (kept) await tell(kept, resultOf(event), after);
    return undefined;
  }
  const stop: Stop = {
    ...{
      session,
      runtime: after.runtime,
      detail: difference,
      digest: digestOf(event.get('tool_input') ?? 'null'),
    },
    ...(kept && { request: kept.id }),
    ...{ at: new Date().toISOString(), isReported: false },
  };
  // Before the report, which may take a while.
  await stopSession(stop);
  await reportStop(stop, after);
  return reasonOf(stop);
}

/** Also when a call is denied because of it, as the service was away before. */
export async function reportStop(
  stop: Stop,
  { credentials, signal }: Pick<After, 'credentials' | 'signal'>,
): Promise<void> {
  const { request, digest } = stop;
  if (request === undefined || stop.isReported) return;
  // What ran may hide secrets, and stays on this machine.
  const result: Result = { outcome: 'ran_differently', arguments_digest: digest };
  const limits = { until: performance.now() + REPORT_STOP_MS, signal };
  if (await report(credentials, { id: request, result, limits }))
    await stopSession({ ...stop, isReported: true });
}

export const reasonOf = ({ detail, session }: Stop): string =>
  `Another call ran than the one that was approved, so Countersign stopped this session. ${detail} A person looks at it, and runs: countersign-hook resume ${session}`;

/** Calls of this turn that were approved and never ran: the runtime's own permissions, or another hook. */
async function reportRefused(event: Members, session: string, after: After): Promise<void> {
  for (const item of itemsOf(event.get('tool_calls') ?? '[]')) {
    const kept = await ended(membersOf(item), session, after);
    if (kept) await tell(kept, { outcome: 'refused_by_runtime' }, after);
  }
}

/** What was kept of a call that is over. */
async function ended(event: Members, session: string, { scope }: After): Promise<Kept | undefined> {
  const callId = textAt(event, 'tool_use_id');
  if (!callId) return undefined;
  const kept = await takeKept({ session, callId, scope }, event.get('tool_input'));
  if (kept) await endTurn({ session, callId, ...kept });
  return kept;
}

async function tell(
  { id }: Kept,
  result: Result,
  { credentials, signal }: Pick<After, 'credentials' | 'signal'>,
): Promise<void> {
  await report(credentials, {
    id,
    result,
    limits: { until: performance.now() + REPORT_MS, signal },
  });
}

/** The text of an error is output of the tool, so it is not sent. */
const resultOf = (event: Members): Result => ({
  outcome: textAt(event, 'hook_event_name') === 'PostToolUse' ? 'succeeded' : 'failed',
});

function differenceOf(event: Members, kept: Kept | undefined): string | undefined {
  const tool = textAt(event, 'tool_name');
  const input = event.get('tool_input') ?? '';
  const ran = `Ran: ${tool} ${shown(input)}.`;
  if (!kept) return `No approval of it is known. ${ran}`;
  return tool === kept.tool && isSame(input, kept)
    ? undefined
    : `Approved: ${kept.tool} ${shown(kept.input)}. ${ran}`;
}

/** Claude Code itself puts what a person answered into these. */
const FILLED_IN = ['AskUserQuestion', 'ExitPlanMode'];

function isSame(input: string, { tool, input: approved }: Kept): boolean {
  try {
    if (canonical(input) === canonical(approved)) return true;
    if (!FILLED_IN.includes(tool)) return false;
    const ran = membersOf(input);
    return [...membersOf(approved)].every(
      ([name, text]) => canonical(ran.get(name) ?? 'null') === canonical(text),
    );
  } catch {
    return false;
  }
}

const shown = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
