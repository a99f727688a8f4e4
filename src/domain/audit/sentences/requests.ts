/** Of requests: from the call of an agent to the decision. */
import type { CallOutcome } from '../../call-outcomes.ts';
import { onServer } from './agents.ts';
import {
  because,
  listed,
  named,
  numberOf,
  textOf,
  type EventPart,
  type Sentences,
  type Tell,
  type ToldEvent,
} from './parts.ts';

const request = ({ subjectId }: ToldEvent): EventPart => ({ kind: 'request', id: subjectId });

const onRequest =
  (words: string, after = ''): Tell =>
  (event) => [words, request(event), ...(after === '' ? [] : [after])];

/** ` by the rule small-refunds`, where a rule decided. */
const byRule = ({ block_id: rule }: ToldEvent['data']): readonly EventPart[] =>
  textOf(rule) === undefined ? [] : [' by the rule ', named(rule)];

const decided =
  (verb: string): Tell =>
  (event) => [`${verb} the request `, request(event), ...byRule(event.data)];

/** ` as build-2, for build-1`: an agent may let another of its instances continue. */
const byOther = ({ data }: ToldEvent): readonly EventPart[] =>
  textOf(data['requested_by_instance_name']) === undefined
    ? []
    : [
        ' as ',
        named(data['agent_instance_name']),
        ', for ',
        named(data['requested_by_instance_name']),
      ];

const WITHDRAWN = {
  agent_archived: 'its agent was archived',
  agent_instance_deleted: 'its instance was removed',
  organization_deleted: 'the organization was deleted',
  quota_exceeded: 'too many requests waited',
};

const RELEASED = {
  holder_cannot_decide: 'its holder can no longer decide',
  membership_suspended: 'its holder was suspended',
  membership_removed: 'its holder was removed',
};

const cannotCheck = ({ data: { code } }: ToldEvent): string =>
  code === 'condition_too_costly'
    ? 'could not check a condition, which is too complex, and went on as if it did not match: '
    : 'could not check a condition and went on as if it did not match: ';

const RESULTS: Readonly<Record<CallOutcome, string>> = {
  succeeded: ' succeeded',
  failed: ' failed',
  not_run: ' did not run',
  refused_by_runtime: ' was refused by the runtime of the agent',
  ran_differently: ' ran with other arguments',
};

const people = (members: unknown): readonly EventPart[] =>
  listed(
    (Array.isArray(members) ? (members as unknown[]) : []).map(
      (member) => ((member ?? {}) as Readonly<Record<string, unknown>>)['display_name'],
    ),
  );

/** A person has a reason for each channel. */
const onlyOnce = (reasons: unknown): readonly unknown[] =>
  Array.isArray(reasons)
    ? [
        ...new Map(
          (reasons as Readonly<Record<string, unknown>>[]).map((each) => [
            each['membership_id'],
            each,
          ]),
        ).values(),
      ]
    : [];

const asked: Tell = (event) => {
  const { block_id: block, status_code: status, error_code: code } = event.data;
  const failed = textOf(code);
  return [
    'asked another system about the request ',
    request(event),
    ' for the rule ',
    named(block),
    ...(failed === undefined ? [] : [', which failed: ', { name: failed }]),
    ...(status === undefined ? [] : [` (HTTP ${numberOf(status)})`]),
  ];
};

export const REQUEST_SENTENCES = {
  'approval_request.created': (event) => [
    'asked for approval of ',
    named(event.data['tool']),
    ...onServer(event),
    ' with the request ',
    request(event),
  ],
  'approval_request.refused': (event) => [
    'refused a request of the agent ',
    { kind: 'agent', id: textOf(event.data['agent_slug']) ?? '?' },
    `: ${numberOf(event.data['limit'])} requests were waiting`,
  ],
  'approval_request.pipeline_concluded': (event) => [
    'evaluated the rules for the request ',
    request(event),
    ...byRule(event.data),
  ],
  'approval_request.routed': (event) => [
    'routed the request ',
    request(event),
    ' to people',
    ...byRule(event.data),
  ],
  'approval_request.block_attempt_begun': (event) => [
    'began to ask another system about the request ',
    request(event),
    ' for the rule ',
    named(event.data['block_id']),
  ],
  'approval_request.block_asked': asked,
  'approval_request.judged': (event) => [
    'had the judge assess the request ',
    request(event),
    ': ',
    named(event.data['outcome']),
  ],
  'approval_request.level_notified': (event) => [
    'notified ',
    named(event.data['display_name']),
    ' about the request ',
    request(event),
  ],
  'approval_request.level_skipped': (event) => [
    event.data['reason'] === 'nobody_left'
      ? 'left a level whose people can no longer decide, for the request '
      : 'skipped a level with no one to ask, for the request ',
    request(event),
  ],
  'approval_request.level_unreached': (event) => [
    'left a level at once for the request ',
    request(event),
    ', because no message reached ',
    ...people(onlyOnce(event.data['reasons'])),
  ],
  'approval_request.urgency_raised': onRequest('raised the urgency of the request '),
  'approval_request.deferred': (event) => [
    event.data['ends_after_deadline'] === true
      ? 'waits for working hours, which begin after the deadline, with the request '
      : 'waits for working hours with the request ',
    request(event),
  ],
  'approval_request.condition_failed': (event) => [cannotCheck(event), request(event)],
  'approval_request.path_repeated': onRequest('began the path of the request ', ' again'),
  'approval_request.path_exhausted': onRequest('reached the end of the path of the request '),
  'approval_request.team_policy_repeated': onRequest('asked a team again about the request '),
  'approval_request.team_policy_exhausted': onRequest(
    'asked everyone in a team about the request ',
  ),
  'approval_request.unreachable': (event) => {
    const told = people(event.data['told']);
    return [
      'found no one who can decide the request ',
      request(event),
      ...(told.length > 0 ? [', and notified the owners: ', ...told] : []),
    ];
  },
  'approval_request.reviewers_added': (event) => [
    'asked for help with the request ',
    request(event),
    ': ',
    ...people(event.data['added']),
  ],
  'approval_request.claimed': onRequest('claimed the request '),
  'approval_request.claim_released': (event) => [
    'released the claim on the request ',
    request(event),
    because(RELEASED, event.data['reason']),
  ],
  'approval_request.claim_lapsed': (event) => {
    const told = people(event.data['told']);
    return [
      'ended the claim on the request ',
      request(event),
      ', which expired',
      ...(told.length > 0 ? [', and notified ', ...told] : []),
    ];
  },
  'approval_request.revealed': onRequest('looked at hidden values of the request '),
  'approval_request.approved': decided('approved'),
  'approval_request.denied': decided('denied'),
  'approval_request.expired': onRequest('closed the request ', ' at its deadline'),
  'approval_request.cancelled': (event) => [
    'withdrew the request ',
    request(event),
    ...byOther(event),
    because(WITHDRAWN, event.data['reason']),
  ],
  'approval_request.started': (event) => [
    'started the call of the request ',
    request(event),
    ...byOther(event),
  ],
  'approval_request.result_reported': (event) => [
    'reported that the call of the request ',
    request(event),
    RESULTS[event.data['outcome'] as CallOutcome] ?? ' ended',
  ],
  'approval_request.ran_differently': (event) => [
    'ran another call than the approved one of the request ',
    request(event),
  ],
} as const satisfies Sentences;
