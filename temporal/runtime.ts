/** The Temporal SDK's own log lines in our log, at levels for operators. */
import { Runtime } from '@temporalio/worker';
import { SdkComponent, type LogLevel, type LogMetadata } from '@temporalio/common';
import type { Level, Logger } from 'pino';

/** The SDK has one runtime in a process for all connections. The latest logger gets its lines. */
let target: Logger | undefined;

/**
 * Call it before the first connection; later calls only change where lines go. Only `close` of
 * `linkTemporal` ends a worker. The SDK's own handlers of SIGINT and SIGTERM are left out, because
 * parts of the service stop in order.
 */
export function routeSdkLogs(logger: Logger): void {
  const installed = target !== undefined;
  target = logger;
  if (installed) return;
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) => {
    write(level, message, meta);
  };
  Runtime.install({
    logger: {
      log: write,
      trace: at('TRACE'),
      debug: at('DEBUG'),
      info: at('INFO'),
      warn: at('WARN'),
      error: at('ERROR'),
    },
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}

const LEVELS: Readonly<Record<LogLevel, Level>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

function write(
  level: LogLevel,
  message: string,
  { sdkComponent, error, ...rest }: LogMetadata = {},
): void {
  const ours = sdkComponent === SdkComponent.workflow || sdkComponent === SdkComponent.activity;
  // Worker states and the like are of little interest. Lines from our workflows and activities keep
  // their level.
  const shown = level === 'INFO' && !ours ? 'debug' : LEVELS[level];
  target?.[shown](
    {
      component: `temporal-${sdkComponent ?? 'sdk'}`,
      ...(error !== undefined && { err: error }),
      ...rest,
    },
    message,
  );
}
