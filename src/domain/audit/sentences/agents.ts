/** Of agents and what belongs to them. */
import {
  about,
  counted,
  named,
  renamed,
  textOf,
  UNKNOWN,
  whichEnded,
  type EventPart,
  type Sentences,
  type Tell,
  type ToldEvent,
} from './parts.ts';

const INSTANCE = 'agent_instance_name';

/** ` on billing`, where a server is known. */
export const onServer = ({ data: { server } }: ToldEvent): readonly EventPart[] =>
  typeof server === 'string' ? [' on ', { name: server }] : [];

const credential =
  (verb: string): Tell =>
  ({ subjectId, data }) => [
    `${verb} the credential `,
    { name: `whc_${subjectId.slice(0, 8)}…` },
    ' of the instance ',
    named(data[INSTANCE]),
  ];

const token = (suffix: unknown): EventPart => ({ name: `whp_…${textOf(suffix) ?? UNKNOWN}` });

const provisioner =
  (verb: string): Tell =>
  ({ data }) => [`${verb} the provisioner token `, token(data['suffix'])];

const presentation =
  (words: string): Tell =>
  (event) => [`${words} calls of `, named(event.data['tool']), ...onServer(event), ' are shown'];

const archived: Tell = ({ data }) => [
  'archived the agent ',
  named(data['name']),
  ...whichEnded([
    ...counted(data['revoked_credentials'], 'credential'),
    ...counted(data['revoked_provisioners'], 'provisioner token'),
    ...counted(data['cancelled_requests'], 'request'),
  ]),
];

export const AGENT_SENTENCES = {
  'agent.created': about('created the agent ', 'name'),
  'agent.renamed': renamed('agent'),
  'agent.resume_changed': ({ subjectId, data: { to } }) => [
    'changed which of its instances go on with a request of the agent ',
    { kind: 'agent', id: subjectId },
    ': ',
    named(to),
  ],
  'agent.approval_window_changed': ({ subjectId, data: { to } }) => [
    'changed the approval window of the agent ',
    { kind: 'agent', id: subjectId },
    ': ',
    named(to),
  ],
  'agent.disabled': about('paused the agent ', 'name'),
  'agent.enabled': about('resumed the agent ', 'name'),
  'agent.archived': archived,
  'agent.restored': about('restored the agent ', 'name'),
  // Recorded by earlier versions.
  'agent.removed': about('removed the demo agent ', 'name'),
  'agent_instance.created': about('created the instance ', INSTANCE),
  'agent_instance.enrolled': about('connected the instance ', INSTANCE),
  'agent_instance.enrollment_expired': about(
    'removed an instance that did not fetch its credential in time: ',
    INSTANCE,
  ),
  'agent_instance.provisioned': ({ data }) => [
    'made the instance ',
    named(data[INSTANCE]),
    ' with the provisioner token ',
    token(data['agent_provisioner_suffix']),
  ],
  'agent_instance.renamed': renamed('instance'),
  'agent_instance.disabled': about('paused the instance ', INSTANCE),
  'agent_instance.enabled': about('resumed the instance ', INSTANCE),
  'agent_instance.deleted': ({ data }) => [
    'removed the instance ',
    named(data[INSTANCE]),
    ...whichEnded([
      ...counted(data['revoked_credentials'], 'credential'),
      ...counted(data['cancelled_requests'], 'request'),
    ]),
  ],
  'agent_instance.receiver_set': ({ data }) => [
    'set where decisions for the instance ',
    named(data[INSTANCE]),
    ' are sent: ',
    named(data['receiver_host']),
  ],
  'agent_instance.receiver_removed': about('stopped sending decisions for the instance ', INSTANCE),
  'agent_credential.issued': credential('issued'),
  'agent_credential.revoked': credential('revoked'),
  'agent_provisioner.issued': provisioner('issued'),
  'agent_provisioner.revoked': provisioner('revoked'),
  'agent_tool.schema_changed': (event) => [
    'reported another schema of the tool ',
    named(event.data['name']),
    ...onServer(event),
  ],
  'tool_access.updated': about('changed what the agent can call of ', 'server_slug'),
  'tool_presentation.created': presentation('set how'),
  'tool_presentation.updated': presentation('changed how'),
  'tool_presentation.deleted': presentation('removed how'),
} as const satisfies Sentences;
