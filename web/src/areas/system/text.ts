/** English texts of the page of the service. */
import type { FailureText } from '../../shared/api/connection-failures.ts';
import { countText, someText } from '../../shared/text/numbers.ts';
import { durationText } from '../../shared/text/times.ts';

const MOST = 1_000;

const names = {
  database: 'Database',
  migrations: 'Database schema',
  temporal: 'Temporal',
  audit: 'Signature of the audit log',
  worker: 'Workers',
  levels: 'Late escalation levels',
  workflows: 'Requests without a running workflow',
  messages: 'Messages to send',
  channels: 'Notification channels',
  dead: 'Messages not delivered',
  calls: 'Calls to Temporal',
  receivers: 'Decisions to send to receivers',
  seal: 'Audit events to seal',
  clock: 'Clocks',
} as const;

export type LineName = keyof typeof names;

const count = (value: number, one: string): string =>
  value >= MOST ? `${countText(value)} or more ${one}s` : someText(value, one, `${one}s`);

const WITHOUT_TEMPORAL =
  'Requests and decisions still work, and the service notifies people itself, some seconds late.';

/** What is wrong with a part of readiness. */
export const checks = {
  database: {
    fact: 'does not respond',
    advice:
      'Nothing works without the database. Check that Postgres runs and that DATABASE_URL points to it.',
  },
  readOnly: {
    fact: 'is read-only',
    advice:
      'No request can be decided. Point DATABASE_URL to the primary, and check that default_transaction_read_only is off.',
  },
  clock: {
    fact: 'its clock differs from the clock of this process',
    advice: 'Synchronize the clocks of both machines.',
  },
  connections: {
    fact: 'has too few connections for all processes of the service',
    advice:
      'Calls fail once no connection is left. Raise max_connections of Postgres, or lower COUNTERSIGN_DATABASE_POOL and COUNTERSIGN_WORKER_POOL.',
  },
  migrations: {
    fact: 'cannot be read',
    advice: 'Check that Postgres runs and that DATABASE_URL points to it.',
  },
  notMigrated: {
    fact: 'is older than this version of the service',
    advice: 'Run countersign migrate, or restart the process that runs migrations.',
  },
  temporal: {
    fact: 'does not respond',
    advice: `${WITHOUT_TEMPORAL} Check that the Temporal server runs and that TEMPORAL_ADDRESS points to it.`,
  },
  unknownHost: {
    fact: 'its host name was not found',
    advice: `${WITHOUT_TEMPORAL} Check the name in TEMPORAL_ADDRESS.`,
  },
  tls: {
    fact: 'the two sides do not agree on TLS',
    advice: `${WITHOUT_TEMPORAL} Check TEMPORAL_TLS and the certificates that the TEMPORAL_TLS_ variables name.`,
  },
  refused: {
    fact: 'refuses this service',
    advice: `${WITHOUT_TEMPORAL} Check TEMPORAL_API_KEY, or the client certificate.`,
  },
  notSigned: {
    fact: 'refused: the log does not extend what was signed last',
    advice:
      'Someone changed the database past the service, or an older backup was restored. Run countersign verify-audit, compare with a checkpoint that you kept, and read the guide on the audit log.',
  },
  notKept: {
    fact: 'nothing is signed: what is signed cannot be kept',
    advice:
      'The log may be whole. The process cannot read or write the file that keeps what it signed last: its log and /health/ready name the file, and say what to do. It signs again by itself afterwards.',
  },
  namespace: {
    fact: 'does not know the namespace',
    advice: `${WITHOUT_TEMPORAL} Check TEMPORAL_NAMESPACE. Create the namespace if the service is not allowed to.`,
  },
  noRoom: {
    fact: 'has no room for all search attributes',
    advice:
      'Requests work, but the Temporal UI cannot search by the missing attributes. Remove unused attributes of type Keyword, or give the service a separate namespace.',
  },
} as const satisfies Readonly<Record<string, FailureText>>;

export const system = {
  title: 'System',
  hint: 'The health of the service. Figures cover your organization and the process that responded.',
  well: 'All is well',
  problems: (wrong: number, watched: number) =>
    wrong > 0
      ? someText(wrong, 'thing needs attention', 'things need attention')
      : someText(watched, 'thing to watch', 'things to watch'),
  states: { well: 'Well', watch: 'Watch', wrong: 'Wrong' },
  names,
  responds: {
    database: 'responds and accepts writes',
    migrations: 'up to date',
    temporal: 'responds',
    audit: 'nothing is refused',
  },
  workerSeen: (seconds: number) => `last asked for work ${durationText(seconds)} ago`,
  workerUnknown: (isTemporalWell: boolean) =>
    isTemporalWell
      ? 'no worker has asked for work lately'
      : 'unknown while Temporal does not respond',
  waiting: (value: number, one: string, seconds: number) =>
    value === 0
      ? `no ${one} waits`
      : `${count(value, one)}, the oldest for ${durationText(seconds)}`,
  channels: (value: number) =>
    value === 0 ? 'all work' : `${count(value, 'channel')} not working`,
  dead: (value: number) => (value === 0 ? 'none' : count(value, 'message')),
  clock: (ahead: number) =>
    ahead === 0
      ? 'this process and the database agree'
      : `this process is ${countText(Math.abs(ahead))} ms ${ahead > 0 ? 'ahead of' : 'behind'} the database`,
  advice: {
    worker: 'Check that a process with a worker runs, and read its log.',
    levels:
      'People are notified late. Check Temporal and the workers. The service catches up by itself.',
    workflows:
      'The service continues these requests itself. It restarts their workflows once Temporal responds.',
    messages:
      'Check that a process with a worker runs, and the deliveries of your notification channels.',
    channels:
      'Settings, Notification channels shows the problem of each channel and how to fix it.',
    dead: 'Look at the deliveries of your notification channels, fix the cause, and try them again.',
    calls: 'Temporal is too slow for the load. Nothing is lost.',
    receivers: 'Some receivers do not accept decisions. Adapters can still read the decisions.',
    seal: 'Check that a process with a worker runs, and look in its log for a chain that cannot be extended.',
    clock: 'Synchronize the clocks of their machines. Readiness fails above one second.',
  },
  figures: 'Figures',
  worst: 'Longest delay of an escalation level in the last hour (this process)',
  seconds: (value: number) => (value === 0 ? 'none' : `${value.toFixed(1)} s`),
  rules: 'Where rules run',
  rulesIn: { door: 'in the call that creates a request', workflow: 'in workflows' },
  edition: 'Edition',
  editions: { open: 'open', hosted: 'hosted' },
  versions: {
    countersign: 'Countersign',
    node: 'Node.js',
    postgres: 'Postgres',
    temporal: 'Temporal server',
    migration: 'Last migration',
  },
  unknown: 'unknown',
  said: 'What it said',
  read: 'Read',
  stale: 'These figures are out of date: the service did not respond.',
  workflow: 'Workflow of a request',
  workflowHint: 'Opens it in the Temporal UI.',
  requestId: 'ID of the request',
  notAnId: 'An ID has 32 digits and letters in five groups, as in the address of the request.',
  openWorkflow: 'Open the workflow',
  noUi: 'Set COUNTERSIGN_TEMPORAL_UI_URL to the address of your Temporal UI to open workflows from here.',
} as const;
