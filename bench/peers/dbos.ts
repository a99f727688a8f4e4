/**
 * DBOS: a library that keeps workflows in Postgres. An approval is a workflow that receives one
 * message. Its handle waits for the end in memory: one retrieved by its id asks once a second.
 */
import {
  DECISION,
  TIMEOUT_SECONDS,
  type Peer,
  type PeerOptions,
  type ToolArguments,
} from './peer.ts';

type Workflow = (call: ToolArguments) => Promise<string | null>;

/** What an approval needs of `@dbos-inc/dbos-sdk`. */
interface Sdk {
  readonly DBOS: {
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
    launch(): Promise<void>;
    registerWorkflow(workflow: Workflow, options: { name: string }): Workflow;
    startWorkflow(
      workflow: Workflow,
      options: { workflowID: string },
    ): (call: ToolArguments) => Promise<{ getResult(): Promise<string | null> }>;
    send(workflowId: string, message: string, topic: string): Promise<void>;
    /** Null when the time is over. */
    recv(topic: string, timeoutSeconds: number): Promise<string | null>;
  };
}

const TOPIC = 'decision';

export async function startDbos({ load, databaseUrl }: PeerOptions): Promise<Peer> {
  const { DBOS } = load('@dbos-inc/dbos-sdk') as Sdk;
  DBOS.setConfig({ name: 'approvals', systemDatabaseUrl: databaseUrl, logLevel: 'error' });
  const approval = DBOS.registerWorkflow(() => DBOS.recv(TOPIC, TIMEOUT_SECONDS), {
    name: 'approval',
  });
  await DBOS.launch();
  return {
    servers: {},
    approve: async (id, call) => {
      const handle = await DBOS.startWorkflow(approval, { workflowID: id })(call);
      await DBOS.send(id, DECISION, TOPIC);
      return await handle.getResult();
    },
  };
}
