/** The rules for every operation, as the API's description states them. */

export const interfaceDescription = `
Countersign decides whether an AI agent may make a tool call. An adapter asks before the call runs. A
pipeline of rules approves, denies, or hands the request to people. An escalation path finds a person in time. The adapter
gets exactly one decision. The service never runs a tool.

Paths under \`/api/aap/v1\` are the adapter protocol with additions of this service, paths under \`/aap/v1\` are AAP 1.0.0 to the
letter, and paths under \`/api/v1\` are the product. A body is JSON in UTF-8, nested
at most 100 deep, without a key twice in one object. The 413 response of each operation states how large its body may be.
Unknown fields and unknown query parameters are refused. A field takes \`null\` only where its schema lists it, and its
description says what it means there; everywhere else, leave the field out. An operation without a body accepts only \`{}\` or nothing. Members
that hold JSON of others, such as the arguments of a call, come back digit for digit.

## Errors

Every error has the body \`{"error": {"type", "code", "message", "request_id", "details"}}\`. Match on \`code\`, which is
stable. \`type\` is a coarse category. \`message\` is for people and may change. Each operation lists its codes.

- 400: invalid input. \`details.issues\` has a JSON pointer, a code and a message for each problem.
- 403 \`permission_denied\`: a missing permission. \`details\` has the permission, the scope and the reason.
- 404 \`not_found\`: the path does not exist, or the object does not exist in your organization.
- 405 \`method_not_allowed\`: the path exists with other methods. The \`Allow\` header lists them.
- 421 \`host_not_served\`: the deployment has no public URL, and a call without a token used a host name that is not one of its machine.
- 429 and 503 carry \`Retry-After\` in whole seconds.

Under \`/aap\` the body is \`{"error": {"type", "code", "message", "param", "request_id"}}\` without \`details\`. \`param\` names the field that is
wrong. 405 is 404 there, and 413 and 415 are 400. The codes stay the same.

Repeating a call does not change a 4xx response other than 429.

## Request ids

A request may carry \`X-Request-ID\`, 1 to 128 printable ASCII characters, under \`/aap\` a UUID. The service adopts it, or makes one. Every response
carries it, and every error repeats it as \`request_id\`.

## Sessions

A session ends after 24 hours without use. A browser that polls sends \`Service-Background: 1\` with its GET calls. They
authenticate as usual and do not count as use of the session, so an open tab does not keep it alive. Any other value is a 400.

All tabs of a browser share its session. A page that shows a person sends their membership id as \`Service-Acting-As\` with
each change. If another person has signed in since, the call is a 409 \`other_person\`, and nothing is done. Without the header
nothing is compared, and keys ignore it.

## Times and durations

Times in responses are RFC 3339 in UTC with milliseconds and \`Z\`. Times in bodies may have any offset, and \`t\` and \`z\` in
lower case. A duration is one whole number and one unit, \`s\`, \`m\` or \`h\`, such as \`30s\`, \`15m\` or \`168h\`. Fractions and
sums are refused. Each field names its bounds.

## Idempotency

Operations that take an \`Idempotency-Key\` require it: any value of 1 to 1,024 bytes, compared byte by byte. Use a random UUID. The same key
with the same input returns the current state of the original outcome. The same key with other input is 409
\`idempotency_conflict\`, and nothing is done. Inputs are compared as JSON values: white space and key order do not matter,
and numbers are compared as exact decimals. Keys of adapters belong to the agent instance, keys of decisions to the
organization. Both are kept for good. GET and DELETE take no key: repeat them freely.

## Pages

Lists return at most \`limit\` entries. When more follow, they return \`next_cursor\`: pass it as \`cursor\` with the same
filters. A cursor is opaque and belongs to its list and filters; any other is a 400. The review queue pages by \`offset\`.

## Revisions and concurrency

Pipelines, escalation paths and webhook endpoints are documents with immutable revisions, numbered from 1. One revision is active. Creating a
revision does not activate it. It can carry a \`comment\` for people, which is no part of the document. Reading the active revision returns its number as \`ETag\`. Activating takes \`If-Match\` with the
revision you expect to be active, or \`"0"\` for none. Without the header the response is 428 \`if_match_required\`. If another
revision is active, the response is 412 \`revision_conflict\` with its number in \`details.active_revision\`.

## Waiting

Reading a request takes \`wait\`. The service holds the response until the request is decided or the time, at most 30 seconds,
has passed. Then it returns the request in its current state. Ask again until \`status\` is no longer \`pending\`.
`.trim();

/** Every tag of an endpoint, in the order of the description. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Adapter protocol',
    description: 'Calls of an adapter, with an agent credential: ask, wait, withdraw.',
  },
  {
    name: 'AAP 1.0.0',
    description:
      'The same calls to the letter of the public Agent Approval Protocol, for adapters that refuse anything else.',
  },
  { name: 'Review queue', description: 'The requests that reviewers see and decide.' },
  { name: 'Agents', description: 'The agents whose tool calls are reviewed.' },
  {
    name: 'Agent credentials',
    description: 'Instances of agents, their credentials, and the tokens that make more of them.',
  },
  {
    name: 'Agent enrollment',
    description:
      'A machine asks to become an instance, and a person with its code authorizes it in a browser.',
  },
  {
    name: 'Tool catalog',
    description: 'The tools of agents, as their instances report them.',
  },
  {
    name: 'Tool presentations',
    description: 'How the calls of tools are shown to reviewers.',
  },
  {
    name: 'Approval pipelines',
    description: 'The rules that decide at once or hand a request to people.',
  },
  {
    name: 'Escalation paths',
    description: 'Who is asked, in which order, and how long each level has.',
  },
  {
    name: 'Webhook endpoints',
    description: 'Systems that rules ask, their signing secrets, and what was posted to them.',
  },
  {
    name: 'Notifications',
    description: 'Channels, personal settings, and messages that could not be delivered.',
  },
  { name: 'Slack', description: 'Decisions in Slack, by members who linked their Slack user.' },
  { name: 'Account', description: 'The caller, their second factors and their sessions.' },
  { name: 'Organization', description: 'Its settings and limits, its guided setup, its deletion.' },
  { name: 'Members', description: 'The people of the organization.' },
  {
    name: 'Permission policies',
    description: 'Permissions of members, teams and organization keys, and their scopes.',
  },
  { name: 'Teams', description: 'Groups of members, who inherit the permissions of the team.' },
  { name: 'Invitations', description: 'Invite people to join, and accept an invitation.' },
  {
    name: 'API keys',
    description: 'Keys with which a script acts as a member, or for the organization.',
  },
  {
    name: 'Audit log',
    description: 'What happened, and the proof that it was not changed.',
  },
  {
    name: 'Tool access',
    description: 'What an agent may call through an MCP gateway. Only in the hosted edition.',
  },
  {
    name: 'OAuth',
    description:
      'How a client such as an MCP client gets a personal key from the person who uses it. Errors of `/oauth` are `{"error", "error_description"}`, as RFC 6749 defines them.',
  },
  {
    name: 'MCP',
    description: 'Tools for the assistant of a member. No tool decides.',
  },
  {
    name: 'Sign-in',
    description: 'Browser sessions, password resets, and the first owner.',
  },
  {
    name: 'Operation',
    description: 'For operators: health, metrics, this description.',
  },
];

export const securitySchemes = {
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description:
      'Set by signing in. Its name is `__Host-service_session` where the public URL is https. A call that changes something must come from the origin of the service.',
  },
  personalApiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'whk_<id>_<secret>',
    description:
      'Acts as its member, with the permissions the member holds now. Browser-only operations refuse it.',
  },
  organizationApiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'who_<id>_<secret>',
    description:
      'Acts for an integration under its own permission policies (hosted edition). It cannot claim or decide requests.',
  },
  agentCredential: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'whc_<id>_<secret>',
    description: 'Opens the adapter protocol for one agent instance, and nothing else.',
  },
  provisionerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'whp_<id>_<secret>',
    description:
      'Makes, renames and deletes instances of one agent, each with a credential, and nothing else.',
  },
} as const;
