/** What the list of tests asks of an SDK, in whatever language it is. */

export interface SdkCall {
  readonly tool: string;
  readonly server?: string;
  /** Source text is given as such, so that no digit changes on its way to the SDK. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  readonly session: string;
  readonly callId?: string | undefined;
  readonly ordinal?: number;
  readonly reasoning?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly timeout?: string;
}

export interface SdkTicket {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  readonly digest: string;
  readonly deadlineAt: string;
  readonly reviewUrl: string;
  readonly entry?: string;
}

export interface SdkOptions {
  readonly url?: string;
  readonly token?: string;
  readonly provisioner?: string;
  readonly timeout?: string;
  readonly limit?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  /** Keys are in files of the folder, or in a memory that fails at something. */
  readonly ledger?: { readonly folder: string } | { readonly fails: 'save' | 'remove' };
  readonly onPending?: (ticket: SdkTicket) => void;
  /** Where the caller's own code never ends. */
  readonly hangs?: 'onPending' | 'load';
}

/** What was thrown, with the names of TypeScript. The reason of an abort is `aborted`. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly toModel?: string;
  readonly status?: string;
  readonly note?: string;
  readonly reason?: string;
  readonly refusal?: { readonly status: number; readonly code: string };
}

export interface SdkApproved {
  readonly id: string;
  readonly arguments: unknown;
  readonly argumentsText: string;
  readonly note?: string;
}

/** How an operation ended. `runs` has the arguments of every time that the function ran. */
export interface Ended<T> {
  readonly runs: readonly unknown[];
  readonly value?: T;
  readonly failure?: Failure;
}

export interface Operation<T> {
  readonly ended: Promise<Ended<T>>;
  /** Resolves once the SDK was told. */
  abort(): Promise<void>;
  /** Assigns members to the caller's own object. */
  change(members: object): Promise<void>;
}

export interface SdkClient {
  /** The function returns `ran`, or throws for a call whose arguments say `fails`. */
  run(call: SdkCall, park?: string): Operation<string>;
  ask(call: SdkCall): Operation<SdkApproved>;
  start(call: SdkCall): Operation<SdkTicket>;
  settle(ticket: SdkTicket | string): Operation<SdkApproved>;
  withdraw(ticket: SdkTicket | string): Operation<boolean>;
  reportTools(report: object): Operation<undefined>;
}

export interface Sdk {
  /** `env` is the environment of `countersign`, while the client is made. */
  client(
    options: SdkOptions,
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly client: SdkClient; readonly failure?: Failure }>;
  close(): Promise<void>;
}
