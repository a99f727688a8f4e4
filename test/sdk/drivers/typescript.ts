/** The SDK for TypeScript, in the process of the tests. */
import {
  Countersign,
  fileLedger,
  JsonText,
  memoryLedger,
  NotApproved,
  Unavailable,
  type Ledger,
  type ToolCall,
} from '../../../sdk/typescript/src/index.ts';
import type { Ended, Failure, Operation, Sdk, SdkCall, SdkClient, SdkOptions } from './sdk.ts';

export const typescriptSdk = (): Sdk => ({
  client: async ({ ledger, hangs, ...options }, env = {}) => {
    // The object itself comes back: a copy would no longer reach the process, and later tests set its time zone.
    const own = process.env;
    const others = Object.entries(own).filter(([name]) => !name.startsWith('COUNTERSIGN_'));
    process.env = { ...Object.fromEntries(others), ...env };
    try {
      const made = new Countersign({
        ...options,
        ...(ledger && { ledger: ledgerOf(ledger) }),
        ...(hangs === 'onPending' && { onPending: never }),
        ...(hangs === 'load' && { ledger: { ...memoryLedger(), load: never } }),
      });
      return { client: clientOf(made) };
    } catch (error) {
      return { client: undefined as never, failure: failureOf(error) };
    } finally {
      process.env = own;
    }
  },
  close: async () => undefined,
});

const never = async (): Promise<never> => await new Promise<never>(() => undefined);

const fails = async (): Promise<never> => {
  throw new Error('the disk is full');
};

const ledgerOf = (given: NonNullable<SdkOptions['ledger']>): Ledger =>
  'folder' in given ? fileLedger(given.folder) : { ...memoryLedger(), [given.fails]: fails };

function clientOf(sdk: Countersign): SdkClient {
  return {
    run: (given, park) =>
      operation(given, async (call, signal, ran) => {
        const fn = (args: Record<string, unknown>) => {
          ran(structuredClone(args));
          if (args['fails'] === true) throw new RangeError('pay_1 has no 12.5');
          // Tools change what they get.
          args['page'] = 1;
          return 'ran';
        };
        return await sdk.run(call, fn, { signal, park });
      }),
    ask: (given) => operation(given, async (call, signal) => await sdk.ask(call, { signal })),
    start: (given) => operation(given, async (call, signal) => await sdk.start(call, { signal })),
    settle: (ticket) =>
      operation(undefined, async (_, signal) => await sdk.settle(ticket, { signal })),
    withdraw: (ticket) => operation(undefined, async () => await sdk.withdraw(ticket)),
    reportTools: (report) =>
      operation(undefined, async () => {
        await sdk.reportTools(report as Readonly<Record<string, unknown>>);
        return undefined;
      }),
  };
}

function operation<T>(
  given: SdkCall | undefined,
  work: (call: ToolCall, signal: AbortSignal, ran: (args: unknown) => void) => Promise<T>,
): Operation<T> {
  const stop = new AbortController();
  const runs: unknown[] = [];
  let mutable = {};
  const begin = async () => {
    mutable = structuredClone(given?.arguments ?? {}) as object;
    const args = typeof mutable === 'string' ? new JsonText(mutable) : mutable;
    const call = { ...given, arguments: given?.arguments === null ? null : args };
    return await work(call as ToolCall, stop.signal, (ran) => runs.push(ran));
  };
  const ended = begin().then(
    (value): Ended<T> => ({ runs, value }),
    (error: unknown): Ended<T> => ({
      runs,
      failure:
        stop.signal.aborted && error === stop.signal.reason
          ? { name: 'aborted', message: '' }
          : failureOf(error),
    }),
  );
  return {
    ended,
    abort: async () => {
      stop.abort(new Error('stopped'));
    },
    change: async (members) => {
      Object.assign(mutable, members);
    },
  };
}

function failureOf(error: unknown): Failure {
  const { name, message } = error as Error;
  if (error instanceof NotApproved) {
    const { status, note, toModel } = error;
    return { name, message, toModel, status, ...(note !== undefined && { note }) };
  }
  if (error instanceof Unavailable) {
    const { reason, refusal, toModel } = error;
    return { name, message, toModel, reason, ...(refusal && { refusal }) };
  }
  return { name, message };
}
