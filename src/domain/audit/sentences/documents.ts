/** Of documents with revisions: rules, escalation paths, policies of teams, and webhook endpoints. */
import {
  named,
  numberOf,
  textOf,
  type EventPart,
  type Sentences,
  type Tell,
  type ToldEvent,
} from './parts.ts';

type Document = (event: ToldEvent) => readonly EventPart[];

const rules: Document = ({ data: { agent_slug: slug } }) => {
  const id = textOf(slug);
  return id === undefined
    ? ['the rules of the organization']
    : ['the rules of the agent ', { kind: 'agent', id }];
};

const path: Document = ({ subjectId: id }) => [
  'the escalation path ',
  { kind: 'escalation_path', id },
];

const policy: Document = ({ subjectId: id }) => [
  'the escalation policy of the team ',
  { kind: 'team', id },
];

const endpoint: Document = ({ subjectId: id }) => [
  'the webhook endpoint ',
  { kind: 'webhook_endpoint', id },
];

const on =
  (words: string, document: Document): Tell =>
  (event) => [words, ...document(event)];

const created =
  (document: Document): Tell =>
  (event) => [`saved revision ${numberOf(event.data['revision'])} of `, ...document(event)];

/** `activated revision 8 of …, in place of revision 7`. */
const activated =
  (document: Document): Tell =>
  (event) => {
    const { revision, previous_revision: before } = event.data;
    return [
      `activated revision ${numberOf(revision)} of `,
      ...document(event),
      ...(typeof before === 'number' ? [`, in place of revision ${before}`] : []),
    ];
  };

const tested: Tell = (event) => {
  const { delivered, error_code: code, status_code: status } = event.data;
  const failed = textOf(code);
  return [
    'tested ',
    ...endpoint(event),
    delivered === true ? ', which worked' : ', which failed',
    ...(failed === undefined ? [] : [': ', named(failed)]),
    ...(typeof status === 'number' ? [` (HTTP ${status})`] : []),
  ];
};

type Change =
  'created' | 'revision_created' | 'revision_activated' | 'revision_deactivated' | 'archived';

/** What happens to each kind of document. */
const changes = <Subject extends DocumentSubject>(subject: Subject, document: Document) =>
  ({
    [`${subject}.created`]: on('created ', document),
    [`${subject}.revision_created`]: created(document),
    [`${subject}.revision_activated`]: activated(document),
    [`${subject}.revision_deactivated`]: on('turned off ', document),
    [`${subject}.archived`]: on('archived ', document),
  }) as Readonly<Record<`${Subject}.${Change}`, Tell>>;

/** Documents with revisions. */
export type DocumentSubject =
  'request_approval_pipeline' | 'escalation_path' | 'team_escalation_policy' | 'webhook_endpoint';

export const DOCUMENT_SENTENCES = {
  ...changes('request_approval_pipeline', rules),
  ...changes('escalation_path', path),
  ...changes('team_escalation_policy', policy),
  ...changes('webhook_endpoint', endpoint),
  'webhook_endpoint.secret_rotated': on('rotated the signing secret of ', endpoint),
  'webhook_endpoint.tested': tested,
} as const satisfies Sentences;
