/** What sections of the benchmark measure, and with. */
import type { Connection } from '@temporalio/client';
import type pg from 'pg';
import type { Receivers } from './senders/receivers.ts';
import type { BenchService, Parties } from './frame/service.ts';

export interface Bench {
  readonly parties: Parties;
  readonly service: BenchService;
  readonly receivers: Receivers;
  readonly db: pg.Client;
  readonly connection: Connection;
  readonly temporalAddress: string;
  readonly temporalPid: number;
  readonly databaseUrl: string;
  /** For data and logs. */
  readonly directory: string;
}
