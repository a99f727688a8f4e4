import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Adapter } from './adapter.ts';
import { Ledger } from './adapter/ledger.ts';
import { mutations } from './adapter/mutations.ts';
import { full, tour, wait, type Scenario } from './adapter/scenarios.ts';
import { AdapterRefusal, adapterRules } from './adapter/rules.ts';
import { startBrokenServer, type BrokenServerOptions } from './servers/broken-server.ts';

async function visit(
  scenario: Scenario,
  options: BrokenServerOptions,
  marginMs?: number,
): Promise<void> {
  const server = await startBrokenServer(options);
  const { baseUrl, credential } = server;
  const adapter = new Adapter({ baseUrl, credential, ...(marginMs !== undefined && { marginMs }) });
  try {
    await scenario(adapter, server);
  } finally {
    adapter.close();
    await server.close();
  }
}

describe('the strict adapter', () => {
  test('accepts every response of a provider that follows the rules', async () => {
    await visit(tour, {});
    await visit(wait, {});
  });

  test.each(mutations)(
    'refuses by $rule: $broken',
    async ({ rule, spoil, server, scenario = tour, marginMs }) => {
      const visited = visit(scenario, { ...server, ...(spoil && { spoil }) }, marginMs);
      const refusal = await visited.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(refusal).toBeInstanceOf(AdapterRefusal);
      expect(refusal).toHaveProperty('rule', rule);
    },
  );

  test('has no rule that no mutation breaks', () => {
    expect([...new Set(mutations.map(({ rule }) => rule))].sort()).toEqual(
      Object.keys(adapterRules).sort(),
    );
  });

  test('tolerates a broken rule only where a test names it', async () => {
    const server = await startBrokenServer({ longestWaitMs: 50 });
    const { baseUrl, credential } = server;
    const adapter = new Adapter({ baseUrl, credential, tolerate: ['wait-early'] });
    await wait(adapter, server);
    adapter.close();
    await server.close();
  });

  test('accepts a replay with another credential of the same instance', async () => {
    const server = await startBrokenServer();
    const { baseUrl, credential } = server;
    const ledger = new Ledger();
    const [first, second] = [
      new Adapter({ baseUrl, credential, ledger }),
      new Adapter({ baseUrl, credential, ledger }),
    ];
    const idempotencyKey = randomUUID();
    expect((await first.create(full(), { idempotencyKey })).status).toBe(201);
    expect((await second.create(full(), { idempotencyKey })).status).toBe(200);
    first.close();
    second.close();
    await server.close();
  });
});
