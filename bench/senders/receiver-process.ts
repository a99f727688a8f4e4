/**
 * A mail server, a receiver of webhooks and Slack's Web API, as small as possible, in a process of
 * their own. Sends its ports to its parent, and on demand what has arrived since the last time.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Arrivals } from './receivers.ts';

/** By message, when it came. */
const arrivals: Record<keyof Arrivals, Map<string, number[]>> = {
  email: new Map(),
  webhook: new Map(),
  slack: new Map(),
};

function note(kind: keyof Arrivals, id: string | undefined): void {
  if (id === undefined) return;
  const times = arrivals[kind].get(id);
  if (times) times.push(Date.now());
  else arrivals[kind].set(id, [Date.now()]);
}

function answerSlack(path: string, body: string): unknown {
  switch (path.slice('/api/'.length)) {
    case 'auth.test':
      return { ok: true, team_id: 'T1', team: 'Bench', user_id: 'U0', bot_id: 'B0' };
    case 'conversations.open':
      return { ok: true, channel: { id: 'D1' } };
    case 'chat.postMessage':
      // The value of the buttons is the request's id.
      note('slack', /%22value%22%3A%22([0-9a-f-]{36})%22/.exec(body)?.[1]);
      return { ok: true, channel: 'D1', ts: `1700000000.${arrivals.slack.size}` };
    default:
      return { ok: true };
  }
}

const http = createHttpServer((request, response: ServerResponse) => {
  void text(request).then((body) => {
    const path = request.url ?? '';
    if (path.startsWith('/api/')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerSlack(path, body)));
      return;
    }
    // Messages about one request differ from those about another.
    note(
      'webhook',
      /"type":"approval_request.notified".*?"request":{"id":"([0-9a-f-]{36})"/.exec(body)?.[1],
    );
    response.writeHead(204).end();
  });
});

function converse(socket: Socket): void {
  const state = { pending: '', inMessage: false };
  const say = (line: string): void => {
    socket.write(`${line}\r\n`);
  };
  socket.on('error', () => undefined);
  say('220 bench');
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    state.pending += chunk;
    for (;;) {
      const end = state.pending.indexOf(state.inMessage ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const part = state.pending.slice(0, end);
      state.pending = state.pending.slice(end + (state.inMessage ? 5 : 2));
      if (state.inMessage) note('email', /^References: <([0-9a-f-]{36})@/m.exec(part)?.[1]);
      const command = part.slice(0, 4).toUpperCase();
      const begins = !state.inMessage && command === 'DATA';
      say(begins ? '354 go on' : !state.inMessage && command === 'QUIT' ? '221 bye' : '250 ok');
      state.inMessage = begins;
    }
  });
}

const mail = createServer(converse);

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', () => {
  const taken = Object.fromEntries(
    Object.entries(arrivals).map(([kind, times]) => [kind, [...times]]),
  );
  for (const times of Object.values(arrivals)) times.clear();
  process.send?.(taken);
});
process.on('disconnect', () => {
  process.exit();
});
process.send?.({ http: await portOf(http), mail: await portOf(mail) });
