/** What a part of readiness says is wrong, in plain words, and what to do about it. Pure. */
import type { FailureText } from '../../shared/api/connection-failures.ts';
import { checks as text } from './text.ts';

export type CheckName = 'database' | 'migrations' | 'temporal' | 'audit';

type Reading = readonly [pattern: RegExp, problem: FailureText];

/** As the service, the client of Temporal and the layers below it write them. The first that fits. */
const READINGS: Readonly<Record<CheckName, readonly Reading[]>> = {
  database: [
    [/read-only/, text.readOnly],
    [/clock is/, text.clock],
    [/may open/, text.connections],
  ],
  migrations: [[/not run yet/, text.notMigrated]],
  temporal: [
    [/has no room for/, text.noRoom],
    [/certificate|\btls\b|handshake|corrupt ?message|invalid ?message/i, text.tls],
    [/unauthenticated|permission.?denied|unauthorized|api key/i, text.refused],
    [/namespace\b.*not found/i, text.namespace],
    [/dns|lookup|name or service not known/i, text.unknownHost],
  ],
  audit: [
    [/not extend/, text.notSigned],
    [/cannot be kept/, text.notKept],
  ],
};

const OTHERWISE: Readonly<Record<CheckName, FailureText>> = {
  database: text.database,
  migrations: text.migrations,
  temporal: text.temporal,
  audit: text.database,
};

export const checkProblem = (name: CheckName, said: string): FailureText =>
  READINGS[name].find(([pattern]) => pattern.test(said))?.[1] ?? OTHERWISE[name];
