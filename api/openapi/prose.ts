/** What the interface's description says in sentences: the rules that hold for every operation. */

export const interfaceDescription = `
Countersign decides whether an AI agent may make a tool call. An adapter beside the agent asks before the call runs; a
pipeline of rules approves, denies or hands the request to people; an escalation path finds a person in time; the adapter
gets exactly one final answer. The service never runs a tool.

Two families of paths: \`/api/aap/v1\` is the adapter protocol, \`/api/v1\` the product. A body is JSON in UTF-8, at most
as large as the 413 of its operation says, nested at most 100 deep, without a key twice in one object. Unknown fields and unknown query parameters are
refused, and so is a body other than \`{}\` with an operation that takes none. Members that hold somebody else's JSON, such as
the arguments of a call, come back digit for digit.

## Errors

Every error has the body \`{"error": {"type", "code", "message", "request_id", "details"}}\`. \`type\` is a coarse category,
\`code\` the stable reason to match on, \`message\` is for people and may change. Each operation lists its codes. A path that
exists with other methods answers 405 \`method_not_allowed\` with an \`Allow\` header, a path that does not exist 404
\`not_found\`. What belongs to another organization is not found. Invalid input is 400 with \`details.issues\`: a JSON pointer,
a code and a message for each problem. A missing permission is 403 \`permission_denied\` with the permission, the scope and
the reason in \`details\`. 429 and 503 carry \`Retry-After\` in whole seconds; 4xx other than 429 will not change by repeating.

## Request ids

A request may carry \`X-Request-ID\`, 1 to 128 printable ASCII characters. It is adopted, otherwise one is made; every answer
carries it, every error repeats it as \`request_id\`.

## Times and durations

Times are RFC 3339 in UTC with milliseconds and \`Z\`; in a body with any offset, and \`t\` and \`z\` in small letters too. A
duration is one whole number and one unit, \`s\`, \`m\` or \`h\`, such as \`30s\`, \`15m\` or \`168h\`: no fractions, no sums.
Each field names its bounds.

## Idempotency

Operations that take an \`Idempotency-Key\` demand it: 1 to 255 printable ASCII characters, a random UUID for choice. The same
key with the same input answers the current state of the original outcome; with other input it is 409
\`idempotency_conflict\` and nothing is done. Inputs are compared as JSON values: white space and key order do not matter,
numbers compare as exact decimals. Keys of adapters belong to the agent instance, keys of decisions to the organization;
both are kept for ever. GET and DELETE take none: repeat them freely.

## Pages

Lists answer at most \`limit\` entries and, when more follow, \`next_cursor\`: pass it as \`cursor\` with the same filters. A
cursor is opaque and belongs to its list and filters; any other is a 400. The review queue pages by \`offset\`.

## Revisions and concurrency

Pipelines and escalation paths are documents with immutable revisions, numbered from 1, of which one is active. Creating a
revision never changes which one. Reading the active revision answers its number as \`ETag\`; activating takes \`If-Match\` with
the revision expected to be active, \`"0"\` for none. Without the header the answer is 428 \`if_match_required\`; if another
revision is active by now it is 412 \`revision_conflict\`, with its number in \`details.active_revision\`.

## Waiting

Reading a request takes \`wait\`: the answer is held until the request is decided or the time, at most 30 seconds, has
passed, and then shows the request as it stands. Ask again until \`status\` is no longer \`pending\`.
`.trim();

/** Every tag an endpoint may bear, in the order in which they are shown. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Adapter protocol',
    description: 'What an adapter calls with an agent credential: ask, wait, withdraw.',
  },
  { name: 'Review queue', description: 'What reviewers see and decide.' },
  { name: 'Agents', description: 'The agents whose tool calls are reviewed.' },
  {
    name: 'Agent credentials',
    description: 'Instances of agents and the credentials with which they call.',
  },
  {
    name: 'Approval pipelines',
    description: 'The rules that answer at once or hand a request to people.',
  },
  {
    name: 'Escalation paths',
    description: 'Who is asked, in which order, and how long each level has.',
  },
  {
    name: 'Notifications',
    description: 'How people are told: channels, own settings, and what could not be delivered.',
  },
  { name: 'Slack', description: 'Deciding in Slack, by members who linked their Slack user.' },
  { name: 'Account', description: 'Who is calling, with which second factors and from where.' },
  { name: 'Organization', description: 'Its settings and limits, its guided setup, its end.' },
  { name: 'Members', description: 'The people of the organization.' },
  {
    name: 'Permission policies',
    description: 'What members, teams and organization keys may do, and where.',
  },
  { name: 'Teams', description: 'Groups of members, which inherit what the team may do.' },
  { name: 'Invitations', description: 'Asking people to join, and joining.' },
  {
    name: 'API keys',
    description: 'Keys with which a script acts as a member, or for the organization.',
  },
  {
    name: 'Sign-in',
    description: 'Sessions of people in a browser, forgotten passwords, and the first owner.',
  },
  {
    name: 'Operation',
    description: 'For whoever runs the service: health, metrics, this description.',
  },
];

export const securitySchemes = {
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description: 'Set by signing in. A call that changes something must come from our own origin.',
  },
  personalApiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'whk_<id>_<secret>',
    description:
      'Acts as its member with what the member holds now. Browser-only operations refuse it.',
  },
  organizationApiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'who_<id>_<secret>',
    description:
      'Acts for an integration under permission policies of its own (hosted edition). It cannot claim or decide requests.',
  },
  agentCredential: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'whc_<id>_<secret>',
    description: 'Opens the adapter protocol for one agent instance, and nothing else.',
  },
} as const;
