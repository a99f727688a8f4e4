/** The receivers of messages, in a process of their own, so that their work is not the sender's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Of each kind, by request: when messages about it came. */
export interface Arrivals {
  readonly email: readonly (readonly [string, readonly number[]])[];
  readonly webhook: readonly (readonly [string, readonly number[]])[];
  readonly slack: readonly (readonly [string, readonly number[]])[];
}

export interface Receivers {
  readonly pid: number;
  readonly webhookUrl: string;
  /** Settings of a service that sends to them. */
  readonly environment: Readonly<Record<string, string>>;
  /** What has arrived since the last call. */
  take(): Promise<Arrivals>;
  stop(): void;
}

export async function startReceivers(): Promise<Receivers> {
  const child = fork(fileURLToPath(new URL('./receiver-process.js', import.meta.url)));
  const next = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
  const { http, mail } = (await next()) as { http: number; mail: number };
  return {
    pid: child.pid ?? 0,
    webhookUrl: `http://127.0.0.1:${http}/hook`,
    environment: {
      SMTP_URL: `smtp://127.0.0.1:${mail}`,
      COUNTERSIGN_SLACK_API_URL: `http://127.0.0.1:${http}/api/`,
    },
    take: async () => {
      child.send('take');
      return (await next()) as Arrivals;
    },
    stop: () => {
      child.disconnect();
    },
  };
}
