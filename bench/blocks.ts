/** What blocks of rules cost: pure ones, nested ones, and one that asks a webhook endpoint. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from './bench.ts';
import { measure, median, round, type Load, type Measured } from './frame/load.ts';
import { addAgent, ask, expectStatus, send, type Parties, type Send } from './frame/service.ts';

/** Short turns, many of them: the machine's speed changes from second to second. */
const TURN: Load = { callers: 1, calls: 30 };
const TURNS = 15;
const ROUNDS = 9;
const ANSWER_MS = 100;
const HANGING = 200;

/** Creates of agents with different rules, in turn, so that a slow minute affects all. */
export async function measureBlocks(bench: Bench) {
  const { parties, service } = bench;
  const receiver = await startReceiver();
  try {
    await addEndpoint(parties.owner, 'prompt', `${receiver.url}/prompt`);
    await addEndpoint(parties.owner, 'hanging', `${receiver.url}/hanging`);
    const agent = async (slug: string, blocks: readonly object[]) =>
      await addAgent(parties.owner, service.url, { slug, pipeline: { blocks } });
    const agents = {
      one: await agent('one-block', [decides]),
      eleven: await agent('eleven-blocks', [...passing(10), decides]),
      nested: await agent('nested-blocks', [...nested(31, passing(967)), decides]),
      asking: await agent('asking', [webhook('prompt')]),
      hanging: await agent('hanging', [{ ...webhook('hanging'), timeout: '30s' }]),
    };
    const turns: Record<'one' | 'eleven' | 'nested', Measured>[] = [];
    for (let count = 0; count < TURNS; count++)
      turns.push({
        one: await measure(() => ask(agents.one, 'fast'), TURN),
        eleven: await measure(() => ask(agents.eleven, 'fast'), TURN),
        nested: await measure(() => ask(agents.nested, 'fast'), TURN),
      });
    const rounds: Record<'rule' | 'asking', Measured>[] = [];
    for (let count = 0; count < ROUNDS; count++)
      rounds.push({
        rule: await measure(() => ask(agents.one, 'fast'), { callers: 1, calls: 40 }),
        asking: await measure(() => ask(agents.asking, 'fast'), { callers: 1, calls: 40 }),
      });
    return {
      oneP50: medianOf(turns, ({ one }) => one.p50),
      elevenRatio: medianOf(turns, ({ one, eleven }) => eleven.p50 / one.p50),
      nestedAdded: medianOf(turns, ({ one, nested: many }) => many.p50 - one.p50),
      askingP50: medianOf(rounds, ({ asking }) => asking.p50),
      /** Beyond the time that the endpoint takes. */
      askingRatio: medianOf(rounds, ({ rule, asking }) => (asking.p50 - ANSWER_MS) / rule.p50),
      hanging: await measureBeside(agents, receiver),
      turns,
      rounds,
    };
  } finally {
    receiver.stop();
  }
}

const medianOf = <Each>(all: readonly Each[], value: (each: Each) => number): number =>
  round(median(all.map(value)));

/** Other creates without and with requests that wait for an endpoint that never answers. */
async function measureBeside(
  { one, hanging }: Readonly<Record<'one' | 'hanging', Send>>,
  receiver: Receiver,
) {
  const load: Load = { callers: 4, calls: 400 };
  const alone = await measure(() => ask(one, 'fast'), load);
  const waits = Array.from({ length: HANGING }, () => send(hanging, 'fast'));
  await receiver.waiting(HANGING);
  const beside = await measure(() => ask(one, 'fast'), load);
  receiver.release();
  await Promise.all(waits);
  return {
    waiting: HANGING,
    aloneP50: alone.p50,
    besideP50: beside.p50,
    ratio: round(beside.p50 / alone.p50),
  };
}

const condition = (id: string, operator: string) => ({ id, field: '/request/tool', operator });
const cel = (id: string, operator: string, on_match: string) => ({
  id,
  name: id,
  type: 'cel',
  config: { when: condition(`${id}-when`, operator), on_match, reason: id },
});
const decides = cel('decides', 'exists', 'approve');
const passing = (count: number) =>
  Array.from({ length: count }, (_none, index) => cel(`passing-${index}`, 'not_exists', 'deny'));
const webhook = (key: string) => ({
  id: key,
  name: key,
  type: 'webhook',
  config: { endpoint_key: key },
});

/** Branches in branches. The sample enters none behind the blocks of the innermost. */
function nested(depth: number, inner: readonly object[]): object[] {
  const inside =
    depth > 1 ? nested(depth - 1, inner) : [...inner, cel('inner', 'exists', 'approve')];
  return [
    {
      id: `branch-${depth}`,
      name: 'Branch',
      type: 'branch',
      config: { when: condition(`enters-${depth}`, 'exists'), reason: 'Ended.', blocks: inside },
    },
  ];
}

async function addEndpoint(owner: Parties['owner'], key: string, url: string): Promise<void> {
  const path = `/api/v1/webhook_endpoints/${key}/revisions`;
  await expectStatus(201, owner(`POST ${path}`, { name: key, url }));
  await expectStatus(200, owner(`POST ${path}/1/activate`, undefined, { 'if-match': '"0"' }));
}

interface Receiver {
  readonly url: string;
  /** Resolves once so many calls hang. */
  readonly waiting: (count: number) => Promise<void>;
  /** Answers those that hang. */
  readonly release: () => void;
  readonly stop: () => void;
}

async function startReceiver(): Promise<Receiver> {
  const hanging = new Set<() => void>();
  const server = createServer((call, response) => {
    const answer = () => response.end('{"outcome":"approve"}');
    call.resume();
    if (call.url === '/prompt') setTimeout(answer, ANSWER_MS);
    else hanging.add(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: async (count) => {
      while (hanging.size < count) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    release: () => {
      for (const answer of hanging) answer();
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
