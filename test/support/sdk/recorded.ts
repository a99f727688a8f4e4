/** A service in this process that approves calls of the tool `approve`, and records keys and results. */
import { afterAll } from '@jest/globals';
import { Countersign, type Options } from '../../../sdk/typescript/src/index.ts';
import { startBrokenServer } from '../servers/broken-server.ts';
import { until } from '../waiting.ts';

export async function recordedService() {
  const keys: string[] = [];
  const results: Record<string, unknown>[] = [];
  /** For creates. */
  const away = { is: false };
  let made = '';
  const service = await startBrokenServer({
    spoil: (reply, { operation, headers, body }) => {
      if (operation === 'create' && away.is) return { ...reply, status: 503 };
      if (operation === 'create') keys.push(headers['idempotency-key'] as string);
      if (operation === 'create')
        made = (JSON.parse(reply.body.toString()) as { id?: string }).id ?? '';
      if (operation !== 'result') return reply;
      results.push(JSON.parse(body) as Record<string, unknown>);
      return { status: 204, headers: {}, body: '' };
    },
  });
  afterAll(async () => {
    await service.close();
  });
  const url = service.baseUrl.replace(/\/api\/aap$/, '');
  return {
    ...{ url, away, keys, results, decide: service.decide },
    /** Approves what is asked for next. */
    decided: async () => {
      const before = made;
      await until('it is asked for', () => made !== before);
      service.decide(made, 'approved');
    },
    outcomes: () => results.map(({ outcome }) => outcome),
    clientOf: (more: Options = {}) => new Countersign({ url, token: service.credential, ...more }),
  };
}
