/** A call that arrives slowly ends in time, and one that has arrived may be parked for longer. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { appForFile } from '../../../support/scene.ts';

const app = await appForFile();
const SLACK_MS = 8_000;

async function open(head: string): Promise<Socket> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(head);
  return socket;
}

/** A byte a second, until the service ends it. What it said, and after how many milliseconds. */
async function drip(head: string, drop: string): Promise<{ said: string; ms: number }> {
  const began = performance.now();
  const socket = await open(head);
  const dripping = setInterval(() => socket.write(drop), 1_000);
  socket.on('error', () => undefined);
  const said = await text(socket).catch(() => '');
  clearInterval(dripping);
  return { said, ms: performance.now() - began };
}

test('headers that drip end after 10 seconds, and a body after 30', async () => {
  const post = 'POST /auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
  const [headers, body] = await Promise.all([
    drip('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ', 'a'),
    drip(`${post}Content-Length: 1000\r\n\r\n{`, ' '),
  ]);
  for (const { said } of [headers, body]) expect(said).toMatch(/^HTTP\/1.1 400 .*too_slow/s);
  expect(headers.ms).toBeGreaterThanOrEqual(9_900);
  expect(headers.ms).toBeLessThan(10_000 + SLACK_MS);
  expect(body.ms).toBeGreaterThanOrEqual(29_900);
  expect(body.ms).toBeLessThan(30_000 + SLACK_MS);
});
