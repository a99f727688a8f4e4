/** What an operator finds in the Temporal UI, and how short the histories are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { packageRoot } from '../../src/platform/package-root.ts';
import { setupTemporal } from '../../temporal/setup.ts';
import {
  ask,
  clientOf,
  decide,
  eventsOf,
  handleOf,
  typesOf,
  waiting,
  type HistoryEvent,
} from '../support/temporal.ts';
import { ASKING } from '../support/servers/asked-endpoint.ts';
import { until } from '../support/waiting.ts';
import { parseHistory } from './histories.ts';
import { PATH_KEY, setStage, SHAPES, type Shape } from './shapes.ts';
import { appForFile } from '../support/scene.ts';

const app = await appForFile({ temporal: true, environment: ASKING });
const stage = await setStage(app);

afterAll(async () => {
  await stage.endpoint.close();
});

async function found(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of clientOf(app).workflow.list({ query })) ids.push(workflowId);
  return ids;
}

function recorded(shape: Shape): HistoryEvent[] {
  return (
    parseHistory(readFileSync(join(packageRoot(), `test/histories/${shape}.json`), 'utf8'))
      .events ?? []
  );
}

/** The events of the shape. A busy machine can delay a step, and the reconciler's signal then adds events: so up to five tries. */
async function live(shape: Shape): Promise<string[]> {
  const length = recorded(shape).length;
  let types: string[] = [];
  for (let tries = 0; tries < 5 && types.length !== length; tries += 1)
    types = typesOf(await eventsOf(app, await SHAPES[shape](stage)));
  return types;
}

describe('an operator', () => {
  test('finds a request by each of the five attributes, and reads its outcome in the result', async () => {
    const automatic = await SHAPES.automatic(stage);
    const pending = await ask(app, stage.unrouted, { tool: 'drop table users' });
    await waiting(app, pending);
    const decided = await ask(app, stage.routed);
    await waiting(app, decided);
    const attributes = async (id: string) => {
      const all = Object.entries((await handleOf(app, id).describe()).searchAttributes);
      return Object.fromEntries(all.filter(([name]) => name.startsWith('Countersign')));
    };
    const base = {
      CountersignOrganization: [stage.organization.id],
      CountersignAgent: ['billing-agent'],
    };
    expect(await attributes(automatic)).toEqual({
      ...base,
      CountersignTool: ['refund'],
      CountersignStatus: ['automatic'],
    });
    const routed = { ...base, CountersignTool: ['delete_database'], CountersignPath: [PATH_KEY] };
    expect(await attributes(decided)).toEqual({ ...routed, CountersignStatus: ['asked'] });
    await decide(stage.organization.owner, decided, 'denied');
    expect(await handleOf(app, decided).result()).toMatchObject({ status: 'denied' });
    expect(await attributes(decided)).toEqual({ ...routed, CountersignStatus: ['asked'] });

    const within = `CountersignOrganization = '${stage.organization.id}'`;
    const workflowId = `approval-request:${pending}`;
    for (const query of [
      `${within} and CountersignTool = 'drop table users'`,
      `${within} and CountersignStatus = 'asked' and ExecutionStatus = 'Running'`,
      `${within} and CountersignPath = 'none'`,
      `${within} and CountersignAgent = 'free-agent'`,
    ]) {
      await until(query, async () => (await found(query)).join() === workflowId);
    }
    await until('all of the organization', async () => (await found(within)).length === 3);
    await decide(stage.organization.owner, pending);
    await handleOf(app, pending).result();
  });

  test('reads the tool, the state and the deadline of a request without opening a payload', async () => {
    const id = await ask(app, stage.unrouted);
    await waiting(app, id);
    const handle = handleOf(app, id);
    expect(handle.workflowId).toBe(`approval-request:${id}`);
    expect(await (await handle.describe()).staticSummary()).toBe(
      'delete_database asked by free-agent',
    );
    const row = await app
      .db('approval_requests')
      .where({ id })
      .first<{ deadline_at: Date }>('deadline_at');
    const deadline = row?.deadline_at.toISOString() ?? '';
    const details = async () =>
      (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata'))
        .currentDetails;
    expect(await details()).toMatch(
      /\*\*pending\*\*, no escalation path: everyone who may decide is asked/,
    );
    expect(await details()).toContain(deadline);
    const timer = (await eventsOf(app, id)).find((event) => event.timerStartedEventAttributes);
    expect(
      timer?.userMetadata?.summary &&
        defaultPayloadConverter.fromPayload(timer.userMetadata.summary),
    ).toBe(`until the deadline ${deadline}`);
    await decide(stage.organization.owner, id);
    await handle.result();
    expect(await details()).toBe('**approved**');
  });

  test('reads the path, level and run of a walk', async () => {
    const id = await ask(app, stage.routed);
    await waiting(app, id);
    const events = await eventsOf(app, id);
    const summary = events.find((event) => event.timerStartedEventAttributes)?.userMetadata
      ?.summary;
    expect(summary && defaultPayloadConverter.fromPayload(summary)).toBe(
      'seconds: level 1 of 3, run 1 of 1',
    );
    await decide(stage.organization.owner, id);
    await handleOf(app, id).result();
  });

  test('reads the name of a tool as one line without links, cut to the size of an attribute', async () => {
    const tool = `[safe](https://example.com)\n<b>${'long '.repeat(60)}`;
    const id = await ask(app, stage.unrouted, { tool });
    await waiting(app, id);
    const description = await handleOf(app, id).describe();
    const summary = (await description.staticSummary()) ?? '';
    expect(summary).toMatch(/^ safe \(https:\/\/example\.com\) {2}b long .* asked by free-agent$/);
    expect(description.searchAttributes['CountersignTool']).toEqual([
      tool.replace('\n', ' ').slice(0, 200),
    ]);
    await decide(stage.organization.owner, id);
    await handleOf(app, id).result();
  });

  test('reads a tool name that is cut within a character', async () => {
    const id = await ask(app, stage.unrouted, { tool: `${'x'.repeat(199)}\u{1f600}` });
    await waiting(app, id);
    const { searchAttributes } = await handleOf(app, id).describe();
    expect(searchAttributes['CountersignTool']).toEqual([`${'x'.repeat(199)}\ufffd`]);
    await decide(stage.organization.owner, id);
    await handleOf(app, id).result();
  });

  test('finds no arguments of a tool call anywhere in a history', async () => {
    const id = await ask(app, stage.unrouted);
    await waiting(app, id);
    const input =
      (await eventsOf(app, id))[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const carried = input.map((payload) => defaultPayloadConverter.fromPayload(payload));
    expect(carried).toEqual([id, {}]);
    await decide(stage.organization.owner, id);
    expect(await handleOf(app, id).result()).toEqual({
      kind: 'done',
      status: 'approved',
      automatic: false,
    });
  });
});

describe('a history', () => {
  const start = [
    'WorkflowExecutionStarted',
    'WorkflowTaskScheduled',
    'WorkflowTaskStarted',
    'WorkflowTaskCompleted',
    'MarkerRecorded',
  ];

  test('has six events when a rule decides', async () => {
    const events = await live('automatic');
    expect(events).toEqual([...start, 'WorkflowExecutionCompleted']);
    expect(typesOf(recorded('automatic'))).toEqual(events);
  });

  test('has at most twelve events when a person at level 1 decides, and six more for each further level', async () => {
    const levelOne = await live('decided-at-level-1');
    expect(levelOne.slice(0, 7)).toEqual([
      ...start,
      'UpsertWorkflowSearchAttributes',
      'TimerStarted',
    ]);
    expect(levelOne.length).toBeLessThanOrEqual(12);
    const levelThree = await live('decided-at-level-3');
    expect(levelThree.length).toBe(levelOne.length + 2 * 6);
    // So the recorded histories, which replay.test.ts uses, are those a server writes today.
    expect(typesOf(recorded('decided-at-level-1'))).toEqual(levelOne);
    expect(typesOf(recorded('decided-at-level-3'))).toEqual(levelThree);
  });

  test('has no step when a lost workflow is started again where its request waits', async () => {
    const events = await live('restarted');
    expect(events.slice(0, 5)).toEqual([...start.slice(0, 4), 'TimerStarted']);
    expect(events).not.toContain('MarkerRecorded');
    expect(typesOf(recorded('restarted'))).toEqual(events);
  });
});

test('setting up a complete server registers nothing', async () => {
  const { connection, options } = clientOf(app);
  const refuse = () => Promise.reject(new Error('must not be called'));
  const readOnly = {
    workflowService: Object.assign(
      Object.create(connection.workflowService) as typeof connection.workflowService,
      {
        registerNamespace: refuse,
      },
    ),
    operatorService: Object.assign(
      Object.create(connection.operatorService) as typeof connection.operatorService,
      {
        addSearchAttributes: refuse,
      },
    ),
  };
  await setupTemporal(readOnly, options.namespace, { usableWithinMs: 0 });
});
