/**
 * Structured logs. Never log a secret or the arguments of a tool call: log ids, and keep the rest
 * in the database.
 */
import { pino, type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  /** `auto` is pretty when standard output is a terminal. */
  readonly format: 'auto' | 'json' | 'pretty';
  /** Where lines go. Default: standard output. */
  readonly destination?: DestinationStream;
}

/**
 * A safety net: our code never logs headers or credentials, and these paths are redacted anyway.
 */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  'password',
  'secret',
  'token',
  'credential',
];
const SECRETS = SECRET_KEYS.flatMap((key) => {
  const inside = (prefix: string): string =>
    key.startsWith('[') ? `${prefix}${key}` : `${prefix}.${key}`;
  return [key, inside('*'), inside('*.*')];
});

/** Where errors of Postgres quote the row, or the text that it could not read. */
const ROW_VALUES = ['detail', 'where', 'internalQuery'].flatMap((key) => [
  `err.${key}`,
  `err.*.${key}`,
  `err.aggregateErrors[*].${key}`,
]);

/**
 * A logger that writes at once, without a worker thread, so that the last lines of a dying process
 * are not lost.
 */
export function createLogger({ level, format, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...SECRETS, ...ROW_VALUES], censor: '[redacted]' },
  };
  const out = destination ?? pino.destination({ dest: 1, sync: true });
  const terminal = process.stdout.isTTY;
  if (format === 'json' || (format === 'auto' && !terminal)) return pino(options, out);
  const prettify = pretty.prettyFactory({ translateTime: 'SYS:HH:MM:ss.l', colorize: terminal });
  return pino(options, { write: (line: string) => void out.write(prettify(line)) });
}
