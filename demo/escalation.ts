/** A call that goes to a person: asked, escalated and decided, while the adapter waits. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, type ApprovalRequest } from './automatic.ts';
import type { Cast, Person } from './cast.ts';
import { argumentsText, type Client, type Reply } from './client.ts';
import { inMs, inSeconds, DemoStopped, type Stage } from './stage.ts';

interface Level {
  readonly node_id: string;
  readonly status: string;
  readonly notified_at?: string;
  readonly escalate_at?: string;
  readonly targets: readonly {
    readonly type: string;
    readonly members: readonly { readonly display_name: string; notified_at?: string }[];
  }[];
}

interface Routing {
  readonly state: string;
  readonly path_key?: string;
  readonly reason?: string;
  readonly levels: readonly Level[];
}

/** A decimal that a double cannot hold, and one whose last zero a parser would drop. */
const ARGUMENTS = '{"payment_id": "pay_82", "amount": 120.50, "ledger_entry": 9007199254740993}';
/** Until a request is routed, and until a due level has fired. Limits for what hangs: a busy machine takes its time. */
const ROUTED_WITHIN_MS = 60_000;
const LEVEL_WITHIN_MS = 60_000;
const POLL_MS = 250;

/** Runs question, escalation and decision. Returns the id of the request. */
export async function escalation(
  { person, adapter, levels, workflowPage }: Cast,
  stage: Stage,
): Promise<string> {
  stage.step('A larger refund: it goes to a person');
  stage.say(`The adapter asks: may refund_payment run with ${ARGUMENTS}?`);
  const asked = await ask(adapter, { tool: 'refund_payment', args: ARGUMENTS, timeout: '10m' });
  const { id } = asked.body;
  stage.say(`Answered in ${inMs(asked.ms)}.`);
  stage.check('pending', asked.body.status, 'pending');
  stage.check('the arguments come back digit for digit', argumentsText(asked), ARGUMENTS);
  if (asked.body.status !== 'pending')
    throw new DemoStopped('A rule answered, so no one is asked.');
  const waiting = park(adapter, id, stage);
  stage.say(
    'The adapter parks: GET /api/aap/v1/requests/{id}?wait=30s is held open, again and again.',
  );

  const before = await routingWhen(person.http, {
    id,
    level: levels[0],
    withinMs: ROUTED_WITHIN_MS,
  });
  sayRouting(before, stage);
  stage.check('level 1 is asked, level 2 is not', statuses(before), ['current', 'upcoming']);

  stage.step('No answer: it escalates');
  const first = before.levels[0];
  const levelMs = Date.parse(first?.escalate_at ?? '') - Date.parse(first?.notified_at ?? '');
  stage.check('level 1 waits its minute', levelMs, 60_000);
  stage.say(
    `Meanwhile a durable timer runs in Temporal; ${person.name} could decide, and whatever is restarted now, level 2 is asked in time.`,
  );
  const page = await workflowPage(id);
  if (page !== undefined) stage.say(`See it wait in the Temporal UI: ${page}`);
  const escalated = routingWhen(person.http, {
    id,
    level: levels[1],
    withinMs: levelMs + LEVEL_WITHIN_MS,
  });
  const after = await Promise.race([
    stage.countdown('level 2 is asked', levelMs, escalated),
    waiting.failed,
  ]);
  const lateMs =
    Date.parse(after.levels[1]?.notified_at ?? '') - Date.parse(first?.escalate_at ?? '');
  stage.say(`Level 2 was asked ${inMs(lateMs)} after the minute was over.`);
  sayRouting(after, stage);
  stage.check('level 1 is done, level 2 is asked', statuses(after), ['done', 'current']);
  stage.check('not before its time', lateMs >= 0, true);

  await decide({ person, adapter, id, waiting }, stage);
  return id;
}

interface Deciding {
  readonly person: Person;
  readonly adapter: Client;
  readonly id: string;
  readonly waiting: Parked;
}

async function decide({ person, adapter, id, waiting }: Deciding, stage: Stage): Promise<void> {
  stage.step('The decision');
  const send = (status: number, body: unknown): Promise<Reply<unknown>> =>
    person.http.post(`/api/v1/requests/${id}/decision`, status, {
      body,
      headers: { 'idempotency-key': randomUUID() },
    });
  const note = 'Checked with the customer.';
  const sentAt = performance.now();
  const [decided, answer] = await Promise.all([
    send(200, { status: 'approved', note }),
    waiting.answer,
  ]);
  stage.say(`${person.name} approved: “${note}” The service answered in ${inMs(decided.ms)};`);
  stage.say(
    `the adapter's parked wait returned ${inMs(answer.at - sentAt)} after the decision was sent.`,
  );
  stage.check('the adapter has its approval', answer.reply.body.status, 'approved');
  stage.check('with the note', answer.reply.body.decision?.note, note);
  stage.check('and the arguments, still digit for digit', argumentsText(answer.reply), ARGUMENTS);
  const late = await send(409, { status: 'denied' });
  stage.check(
    'a second decision is refused',
    (late.body as { error: { code: string } }).error.code,
    'already_terminal',
  );
  const again = await adapter.get(`/api/aap/v1/requests/${id}`);
  stage.check('and the answer stays, character for character', again.text, answer.reply.text);
}

interface Parked {
  readonly answer: Promise<{ readonly reply: Reply<ApprovalRequest>; readonly at: number }>;
  /** Rejects when the adapter cannot continue to wait. Otherwise never settles. */
  readonly failed: Promise<never>;
}

function park(adapter: Client, id: string, stage: Stage): Parked {
  const wait = async (): Promise<{ reply: Reply<ApprovalRequest>; at: number }> => {
    for (;;) {
      const reply = await adapter.get<ApprovalRequest>(`/api/aap/v1/requests/${id}?wait=30s`);
      if (reply.body.status !== 'pending') return { reply, at: performance.now() };
      stage.say(
        `The adapter's wait came back after ${inSeconds(reply.ms)}, still pending: it parks again.`,
      );
    }
  };
  const answer = wait();
  const failed = new Promise<never>((_resolve, reject) => {
    answer.catch(reject);
  });
  failed.catch(() => undefined);
  return { answer, failed };
}

interface RoutingWhen {
  readonly id: string;
  /** The level that is expected to be current. */
  readonly level: string;
  readonly withinMs: number;
}

async function routingWhen(http: Client, { id, level, withinMs }: RoutingWhen): Promise<Routing> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { body } = await http.get<Routing>(`/api/v1/requests/${id}/routing`);
    if (
      body.levels.some((candidate) => candidate.node_id === level && candidate.status === 'current')
    )
      return body;
    if (performance.now() > deadline) {
      throw new DemoStopped(
        `The level was not asked within ${inSeconds(withinMs)}. Routing: ${JSON.stringify(body)}`,
      );
    }
    await delay(POLL_MS);
  }
}

function statuses({ levels }: Routing): string[] {
  return levels.map((level) => level.status);
}

function sayRouting({ state, path_key, levels }: Routing, stage: Stage): void {
  stage.say(`Routing: ${state} on ${path_key ?? 'no path'}`);
  levels.forEach((level, index) => {
    const people = level.targets.flatMap(({ type, members }) => {
      const names = members.map((member) => member.display_name).join(', ');
      return type === 'broadcast' ? `everyone who may decide (${names})` : names;
    });
    const asked = level.notified_at === undefined ? '' : `, asked at ${timeOf(level.notified_at)}`;
    const goesOn =
      level.status !== 'current' || level.escalate_at === undefined
        ? ''
        : `, goes on at ${timeOf(level.escalate_at)}`;
    stage.say(
      `  level ${index + 1}  ${level.status.padEnd(9)} ${people.join('; ')}${asked}${goesOn}`,
    );
  });
}

/** Of an RFC 3339 instant in UTC. */
function timeOf(instant: string): string {
  return `${instant.slice(11, 23)} UTC`;
}
