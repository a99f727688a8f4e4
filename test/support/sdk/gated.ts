/** A scene for gates of the SDK: a tool that refunds, an agent whose rules know small and large refunds, and a service that dies. */
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll } from '@jest/globals';
import {
  Countersign,
  type Options,
  type Ticket,
  type ToolCall,
} from '../../../sdk/typescript/src/index.ts';
import { REVIEWER, scene } from '../scene.ts';
import { until } from '../waiting.ts';

/** Refunds of these amounts: a rule approves, a rule denies, a person decides. */
export const SMALL = 12.5;
export const LARGE = 5_000;
export const ASKED = 500;

const block = (id: string, operator: string, value: number) => ({
  ...{ id, type: 'cel', name: id },
  config: {
    when: { id: `${id} amount`, field: '/request/arguments/amount', operator, value },
    ...(id === 'large'
      ? { on_match: 'deny', reason: 'Too much.' }
      : { on_match: 'approve', reason: 'Small.' }),
  },
});

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
};

export async function gatedScene() {
  const { app, people, agents, decide } = await scene({
    app: { temporal: true },
    people: { ada: REVIEWER },
    pipelines: {
      bot: { blocks: [block('small', 'less_than', 100), block('large', 'greater_than', 1_000)] },
    },
  });
  const token = agents.bot.credential;
  const clientOf = (more: Options = {}) => new Countersign({ url: app.url, token, ...more });

  const reply = async (id: string, status: 'approved' | 'denied' = 'approved', note?: string) => {
    const body = { status, ...(note && { note }) };
    await until('it is decided', async () => (await decide(people.ada, id, body)).status === 200);
  };

  /** A client whose requests a person decides, and the requests that asked a person. */
  const reviewed = (status: 'approved' | 'denied' = 'approved', note?: string) => {
    const asked: Ticket[] = [];
    const countersign = clientOf({
      onPending: (ticket) => {
        asked.push(ticket);
        void reply(ticket.id, status, note);
      },
    });
    return { countersign, asked };
  };

  /** A client whose service is there until a person is asked. */
  const killed = async () => {
    const sockets = new Set<Socket>();
    const port = Number(new URL(app.url).port);
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
      }
      near.pipe(far).pipe(near);
    });
    const kill = () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    return clientOf({ url: await listening(server), limit: '10s', onPending: kill });
  };

  const stranger = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>approved</p>');
  });
  const strange = await listening(stranger);
  afterAll(() => {
    stranger.close();
  });
  /** Clients that get no decision, by what is wrong. */
  const unavailable = async (): Promise<Readonly<Record<string, Countersign>>> => ({
    'another address': clientOf({ url: strange }),
    'no server': clientOf({ url: 'http://127.0.0.1:9', limit: '1s' }),
    'a wrong token': clientOf({ token: 'whc_0000000000_x' }),
    'a killed service': await killed(),
  });

  const stateOf = async (id: string) =>
    (await app.db('approval_requests').where({ id }).first<{ state: string }>('state')).state;
  const requestsOf = async (session: string) =>
    await app.db('approval_requests').whereRaw(`context->>'session' = ?`, [session]);

  /** What a process leaves that crashed between the approval and the start. */
  const crashed = async (call: ToolCall) => {
    const { id } = await clientOf().start(call);
    await reply(id);
  };

  return { app, clientOf, reply, reviewed, unavailable, crashed, stateOf, requestsOf };
}

/** A refund that counts its runs. */
export function refunds() {
  const runs: unknown[] = [];
  const refund = (args: unknown) => {
    runs.push(args);
    return `refund ${String(runs.length)}`;
  };
  return { runs, refund };
}
