/**
 * Preloaded (`node --import`): the JavaScript clock of this process can be moved while it runs. A
 * line on standard input sets its offset in milliseconds. Timers and `performance.now()` continue
 * unchanged.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const RealDate = Date;
let offMs = 0;
const now = (): number => RealDate.now() + offMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) =>
    key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown),
});

// Workflows run in their own threads, which share the clock of the process.
const channel = new BroadcastChannel('movable-clock');
channel.onmessage = ({ data }: { data: unknown }) => {
  offMs = Number(data);
};
channel.unref();
if (isMainThread) {
  process.stdin.on('data', (chunk) => {
    offMs = Number(chunk.toString().trim().split('\n').at(-1));
    channel.postMessage(offMs);
  });
}
