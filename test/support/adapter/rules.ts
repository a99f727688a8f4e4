/**
 * Every reason for which the strict adapter refuses a response. A standard adapter blocks the tool
 * for each of them.
 */
export const adapterRules = {
  status:
    'The operation returns only its documented status codes. A redirect or a 500 is none of them.',
  'content-type': 'Every body is application/json.',
  'body-size': 'A body has at most 8 MiB.',
  'body-utf8': 'A body is UTF-8 without a byte order mark.',
  'body-json': 'A body is exactly one JSON object, with nothing after it.',
  'duplicate-key': 'No object names a key twice.',
  nesting: 'No response nests deeper than 100.',
  'request-id-missing': 'Every response carries X-Request-ID.',
  'request-id-echo': 'A usable incoming X-Request-ID is adopted, any other is replaced by a UUID.',
  shape:
    'A body has the shape that api/openapi.yaml gives it: every key, type and word, and no other key.',
  'error-type': 'The type belongs to the status.',
  'error-code': 'The code is one that is documented for the operation and the status.',
  'error-request-id': 'error.request_id is the X-Request-ID of the response.',
  'error-issues': 'validation_failed has details.issues, a list of {pointer, code, message}.',
  'retry-after': '429 and 503 carry Retry-After in whole seconds.',
  'credential-leak': 'No error repeats the credential.',
  'time-format': 'Times are UTC RFC 3339 with milliseconds and Z.',
  'deadline-at': 'deadline_at is created_at plus timeout.',
  'decision-presence': 'decision is absent while pending and present when terminal.',
  'decision-status': 'decision.status is the status of the request.',
  'expires-at-presence': 'expires_at is present exactly on approved.',
  'expires-at-window': 'expires_at is decided_at plus five minutes.',
  'decided-before-created': 'Nothing is decided before it was created.',
  'decided-after-deadline': 'Only an expiry is recorded at or after the deadline.',
  'expired-early': 'Nothing expires before its deadline.',
  'pending-after-deadline': 'A read after the deadline never finds the request pending.',
  'bad-body-accepted': 'A body that is not one strict JSON document is never accepted.',
  'echo-tool': 'tool is returned as sent.',
  'echo-server': 'server is returned as sent, and only if it was sent.',
  'echo-timeout': 'timeout is exactly the submitted string.',
  'echo-arguments': 'arguments are returned token for token.',
  'echo-context': 'context is returned token for token, and only if it was sent.',
  'echo-agent-reasoning': 'agent_reasoning is returned as spelled, and only if it was sent.',
  'other-id': 'A response is about the requested id.',
  'request-lost': 'A request that was returned once is never unknown to the instance that made it.',
  'field-changed': 'A field of a request never changes once it was returned.',
  'terminal-changed': 'A terminal request never changes: every later response is the same text.',
  'replay-id': 'One idempotency key is one request.',
  'replay-status': 'The first response to a key is 201, every other 200.',
  'conflict-same-input': 'The same input under the same key is not a conflict.',
  'cancel-outcome':
    'A cancel that succeeds returns a cancelled request, and never over another outcome.',
  'wait-early': 'A wait is held until the request is terminal or the wait is over.',
  late: 'A call returns within what was asked for and a margin.',
} as const;

export type AdapterRule = keyof typeof adapterRules;

/** Thrown for a response that a standard adapter would refuse; `rule` names the reason. */
export class AdapterRefusal extends Error {
  readonly rule: AdapterRule;

  constructor(rule: AdapterRule, found: string) {
    super(
      `${rule}: ${adapterRules[rule]} Found: ${found.length > 600 ? `${found.slice(0, 600)}…` : found}`,
    );
    this.name = 'AdapterRefusal';
    this.rule = rule;
  }
}

/** Refuses unless `holds`. `found` is for the person who reads the failed test. */
export function demand(holds: boolean, rule: AdapterRule, found: string): asserts holds {
  if (!holds) throw new AdapterRefusal(rule, found);
}
