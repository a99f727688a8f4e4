/**
 * `npm run demo`: the main job of Countersign, step by step, for a person at a terminal. Exits with
 * 0 only if every step had the expected result.
 */
import { loadConfig } from '../src/platform/config.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { automaticApproval, automaticDenial, expiry } from './automatic.ts';
import { letPersonIn, setStage } from './cast.ts';
import type { Client } from './client.ts';
import { escalation } from './escalation.ts';
import { findOrStart, type Service } from './service.ts';
import { inSeconds, openStage, DemoStopped, type Stage } from './stage.ts';

interface Timeline {
  readonly events: readonly {
    readonly event_type: string;
    readonly actor_display_name?: string;
    readonly occurred_at: string;
  }[];
}

const EXPECTED_EVENTS = [
  'created',
  'pipeline_concluded',
  'routed',
  'level_notified',
  'level_notified',
  'approved',
];

async function runSteps(service: Service, stage: Stage): Promise<void> {
  const person = await letPersonIn(service, process.env['COUNTERSIGN_API_KEY'] || undefined, stage);
  const cast = await setStage(service, person, stage);
  await automaticApproval(cast, stage);
  await automaticDenial(cast, stage);
  const id = await escalation(cast, stage);
  await expiry(cast, stage);
  await timeline(person.http, id, stage);
  await person.http.delete(`/api/v1/agent-credentials/${cast.credentialId}`, 204);
}

async function timeline(http: Client, id: string, stage: Stage): Promise<void> {
  stage.step('What is on record of the larger refund');
  const { body } = await http.get<Timeline>(`/api/v1/requests/${id}/timeline`);
  const beganAt = Date.parse(body.events[0]?.occurred_at ?? '');
  for (const { event_type, actor_display_name, occurred_at } of body.events) {
    const at = `+${((Date.parse(occurred_at) - beganAt) / 1_000).toFixed(3)} s`;
    stage.say(
      `${at.padStart(10)}  ${event_type.padEnd(38)} ${actor_display_name ?? 'the service'}`,
    );
  }
  const verbs = body.events.map(({ event_type }) => event_type.replace('approval_request.', ''));
  stage.check('the timeline has every event, in order', verbs, EXPECTED_EVENTS);
}

/** Resolves with the exit code. */
async function main(): Promise<number> {
  const stage = openStage(process.stdout);
  const interrupted = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        interrupted.abort();
        reject(new DemoStopped('It was interrupted.'));
      });
    }
  });
  stopped.catch(() => undefined);
  let service: Service | undefined;
  try {
    stage.step('The service');
    service = await findOrStart(loadConfig(process.env, 'bootstrap'), stage, interrupted.signal);
    await Promise.race([runSteps(service, stage), stopped]);
  } catch (error) {
    stage.stopCounting();
    const forPeople = error instanceof OperatorError;
    const reason = forPeople
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
    stage.say(`✗ The demo stopped in step ${stage.steps}. ${reason}`);
    return 1;
  } finally {
    if (service?.own === true) stage.say('Stopping the service of the demo.');
    await service?.stop();
  }
  const { differences, steps } = stage;
  stage.say('');
  if (differences.length === 0)
    stage.say(`All ${steps} steps came out as they should, in ${inSeconds(stage.elapsedMs())}.`);
  else stage.say(['Not as it should be:', ...differences].join('\n  '));
  return differences.length === 0 ? 0 : 1;
}

process.exit(await main());
