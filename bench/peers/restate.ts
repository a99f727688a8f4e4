/**
 * Restate: a server with a log of its own, which it syncs to the disk, and an SDK. The server calls
 * workflows in this process, and clients call it over HTTP. An approval is a workflow with one
 * durable promise.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { eventually, freePorts } from '../../src/local/processes.ts';
import { DECISION, type Peer, type PeerOptions, type ToolArguments } from './peer.ts';

interface Context {
  promise(name: string): Promise<string> & { resolve(value: string): Promise<void> };
}

const handlers = {
  run: async (context: Context, _call: ToolArguments) => await context.promise('decision'),
  decide: async (context: Context, decision: string) => {
    await context.promise('decision').resolve(decision);
  },
};

interface WorkflowClient {
  workflowSubmit(call: ToolArguments): Promise<unknown>;
  decide(decision: string): Promise<void>;
  /** Waits until the workflow has ended, and returns its result. */
  workflowAttach(): Promise<string>;
}

/** What an approval needs of `@restatedev/restate-sdk`. */
interface Sdk {
  workflow(definition: { name: string; handlers: typeof handlers }): unknown;
  createEndpointHandler(options: {
    services: unknown[];
  }): (request: Http2ServerRequest, response: Http2ServerResponse) => void;
}

/** What it needs of `@restatedev/restate-sdk-clients`. */
interface Clients {
  connect(options: { url: string }): {
    workflowClient(definition: { name: string }, key: string): WorkflowClient;
  };
}

const NAME = 'approval';
const START_TIMEOUT_MS = 60_000;

export async function startRestate({ load, directory }: PeerOptions): Promise<Peer> {
  polyfill();
  const { createEndpointHandler, workflow } = load('@restatedev/restate-sdk') as Sdk;
  const { connect } = load('@restatedev/restate-sdk-clients') as Clients;
  const [ingress = 0, admin = 0, node = 0, workflows = 0] = await freePorts(4);
  const platform = `${process.platform}-${process.arch}`;
  const server = spawn(
    load.resolve(`@restatedev/restate-server-${platform}/bin/restate-server`),
    ['--no-logo', '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--bind-port', String(node)],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        RESTATE_BASE_DIR: directory,
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'warn',
      },
    },
  );
  process.once('exit', () => server.kill('SIGKILL'));
  const services = [workflow({ name: NAME, handlers })];
  const endpoint = createServer(createEndpointHandler({ services }));
  await once(endpoint.listen(workflows, '127.0.0.1'), 'listening');
  await register(`http://127.0.0.1:${admin}`, `http://127.0.0.1:${workflows}`);
  const client = connect({ url: `http://127.0.0.1:${ingress}` });
  return {
    servers: { server: server.pid ?? 0 },
    approve: async (id, call) => {
      const approval = client.workflowClient({ name: NAME }, id);
      await approval.workflowSubmit(call);
      await approval.decide(DECISION);
      return await approval.workflowAttach();
    },
  };
}

/** Waits for the server, and says where the workflows are. */
async function register(adminUrl: string, uri: string): Promise<void> {
  const healthy = () =>
    fetch(`${adminUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await eventually(healthy, START_TIMEOUT_MS)))
    throw new Error('the Restate server was not healthy within a minute');
  const response = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(`Restate refused the workflows: ${await response.text()}`);
}

/** The SDK calls it, and Node has it from version 22 on. */
function polyfill(): void {
  Promise.withResolvers ??= <T>() => {
    const parts: Partial<PromiseWithResolvers<T>> = {};
    parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
    return parts as PromiseWithResolvers<T>;
  };
}
