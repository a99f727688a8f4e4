import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../src/platform/config.ts';
import type { Logger } from '../src/platform/logger.ts';

/** The API and the worker of one process, as `bin/compose.ts` puts them together. */
export interface App {
  /** Where the API listens. */
  readonly url: string;
  readonly temporal: {
    /** Resolves once connected and set up. */
    readonly ready: Promise<void>;
  };
  close(): Promise<void>;
}

export interface AppParts {
  readonly logger: Logger;
  readonly databaseUrl: string;
  readonly temporal: NativeConnectionOptions;
  readonly roles: { readonly api: boolean; readonly worker: boolean };
}

export type ComposeApp = (config: Config, parts: AppParts) => Promise<App>;
