/** Histories as files. The SDK's own JSON functions fail when npm installs protobufjs twice. */
import proto from '@temporalio/proto';
import { TASK_QUEUE } from '../../temporal/ids.ts';
import type { History } from '../support/temporal.ts';

const { History: HistoryMessage } = proto.temporal.api.history.v1;

/** Fields that identify a machine, a process or a test run. */
const SCRUBBED: Readonly<Record<string, unknown>> = {
  identity: 'worker',
  taskQueue: { name: TASK_QUEUE, kind: 'TASK_QUEUE_KIND_NORMAL' },
};

function scrub(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SCRUBBED[key] ?? inner]),
  );
}

/** JSON text with a final newline: bytes in base64, enums by name. */
export function historyText(history: History): string {
  const object = HistoryMessage.toObject(HistoryMessage.fromObject(history), {
    longs: String,
    enums: String,
    bytes: String,
  });
  return `${JSON.stringify(object, scrub, 2)}\n`;
}

export function parseHistory(text: string): History {
  return HistoryMessage.fromObject(JSON.parse(text) as Record<string, unknown>);
}
