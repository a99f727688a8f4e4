/** One operation for each key, also where it asks another system before its commit. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { findProvisionerHolder } from '../../../src/data/agents/agent-provisioners.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { ProvisionerPrincipal } from '../../../src/domain/people/authorization.ts';
import { operateOnce } from '../../../src/services/agents/instance-operations.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { scene } from '../../support/scene.ts';
import { createProvisioner } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';

const { app, organization, agents } = await scene({ pipelines: { bot: {} } });
const { slug } = agents.bot;
const { id: provisionerId } = await createProvisioner(app, organization, slug);
const holder = await findProvisionerHolder(app.db, provisionerId);
const principal: ProvisionerPrincipal = {
  kind: 'provisioner',
  organizationId: organization.id,
  agentSlug: slug,
  agentName: holder?.agentName ?? '',
  provisionerId,
  suffix: '',
  responseKey: Buffer.alloc(32),
};

interface Asked {
  readonly key?: string;
  readonly input?: string;
  readonly verify?: (() => Promise<void>) | undefined;
  readonly commit?: () => void;
}

let commits = 0;
/** Transactions that have ended. */
let looks = 0;

const db = new Proxy(app.context.db, {
  get: (target, name) =>
    name === 'transaction'
      ? async (work: Parameters<typeof target.transaction>[0]) => {
          const result: unknown = await target.transaction(work);
          looks += 1;
          return result;
        }
      : (Reflect.get(target, name) as unknown),
});
const context = { ...app.context, db };

/** An operation whose result is the number of its commit. */
async function operate({ key, input = 'same', verify, commit }: Asked): Promise<string> {
  const then = { status: 'active', lastSeenAt: new Date() } as const;
  const { result, isNew } = await operateOnce<string>(context, {
    principal,
    key: key === undefined ? undefined : { operation: 'create', key },
    parametersHash: Buffer.from(input),
    verify,
    commit: () => {
      commit?.();
      const name = `number ${String((commits += 1))}`;
      return Promise.resolve({ result: name, returned: { ...then, name } });
    },
    replay: (_trx, kept) => Promise.resolve(kept.returned.name),
  });
  return `${isNew ? 'new' : 'again'} ${result}`;
}

const codeOf = async (call: Promise<string>) =>
  await call.catch((error: unknown) => (error instanceof AppError ? error.code : 'unknown'));

function deferred() {
  let resolve = (): void => undefined;
  let reject = (_error: Error): void => undefined;
  const promise = new Promise<void>((onResolved, onRejected) => {
    [resolve, reject] = [onResolved, onRejected];
  });
  return {
    promise,
    resolve: () => {
      resolve();
    },
    reject: (error: Error) => {
      reject(error);
    },
  };
}

/** A verification that ends when the test says so. */
function held() {
  let verifications = 0;
  const gate = deferred();
  const began = deferred();
  const verify = async (): Promise<void> => {
    verifications += 1;
    began.resolve();
    await gate.promise;
  };
  const pass = () => {
    gate.resolve();
  };
  const fail = (error: Error) => {
    gate.reject(error);
  };
  return { verify, began: began.promise, pass, fail, count: () => verifications };
}

describe.each([
  ['without a verification', undefined],
  ['with one', async () => await Promise.resolve()],
])('%s', (_how, verify) => {
  test('a repeated call gets the first result, and another input is refused', async () => {
    const key = randomUUID();
    const first = await operate({ key, verify });
    expect(first).toMatch(/^new/);
    expect(await operate({ key, verify })).toBe(first.replace('new', 'again'));
    expect(await codeOf(operate({ key, verify, input: 'other' }))).toBe('idempotency_conflict');
    expect(await operate({ verify })).toMatch(/^new/);
  });

  test('equal calls at once are one operation', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = randomUUID();
      const before = commits;
      const results = await Promise.all(Array.from({ length: 5 }, () => operate({ key, verify })));
      expect(results.filter((result) => result.startsWith('new'))).toHaveLength(1);
      expect(new Set(results.map((result) => result.split(' ').slice(1).join(' '))).size).toBe(1);
      expect(commits).toBe(before + 1);
    }
  });

  test('a commit that fails leaves the key unused', async () => {
    const key = randomUUID();
    const commit = () => {
      throw new AppError('instance_name_taken');
    };
    expect(await codeOf(operate({ key, verify, commit }))).toBe('instance_name_taken');
    expect(await operate({ key, verify, input: 'other' })).toMatch(/^new/);
  });
});

describe('while a verification runs', () => {
  test('no transaction is open, and equal calls wait for it without one of their own', async () => {
    const key = randomUUID();
    const { verify, began, pass, count } = held();
    const first = operate({ key, verify });
    await began;
    const open = await app.db.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity where datname = current_database() and application_name = 'countersign-api' and state like 'idle in transaction%'`,
    );
    expect(open.rows).toEqual([]);
    const others = [operate({ key, verify }), operate({ key, verify })];
    const another = codeOf(operate({ key, verify, input: 'other' }));
    pass();
    const result = await first;
    for (const other of others) expect(await other).toBe(result.replace('new', 'again'));
    expect(await another).toBe('idempotency_conflict');
    expect(count()).toBe(1);
  });

  test('its failure is that of the calls that wait, and leaves the key unused', async () => {
    const key = randomUUID();
    const { verify, began, fail, count } = held();
    const first = codeOf(operate({ key, verify }));
    await began;
    const before = looks;
    const other = codeOf(operate({ key, verify }));
    await until('the other call waits', () => Promise.resolve(looks > before));
    fail(new AppError('unsupported_delivery_type'));
    expect([await first, await other]).toEqual([
      'unsupported_delivery_type',
      'unsupported_delivery_type',
    ]);
    expect(count()).toBe(1);
    expect(await operate({ key, input: 'other' })).toMatch(/^new/);
  });

  test('a process that dies is followed by the next call, once its lease is over', async () => {
    const key = randomUUID();
    const { verify, began, pass } = held();
    const lost = operate({ key, verify });
    await began;
    await app
      .db('instance_operations')
      .where({ key })
      .update({ leased_until: new Date(0) });
    const next = await operate({ key, verify: async () => await Promise.resolve() });
    expect(next).toMatch(/^new/);
    // It was only slow. It finds that the other one has committed.
    pass();
    expect(await lost).toBe(next.replace('new', 'again'));
  });
});
