/**
 * The participants: the person, the agent with its adapter, the people of an escalation path, and
 * the rules.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, client, type Client } from './client.ts';
import { demoRules } from './rules.ts';
import { temporalPage, type Service } from './service.ts';
import { DemoStopped, type Stage } from './stage.ts';

export interface Person {
  readonly name: string;
  readonly membershipId: string;
  /** Calls with an API key. */
  readonly http: Client;
}

export interface Cast {
  readonly person: Person;
  readonly adapter: Client;
  readonly credentialId: string;
  readonly levels: readonly [string, string];
  /** The page of a request in the Temporal UI, if known. */
  workflowPage(requestId: string): Promise<string | undefined>;
}

interface Account {
  readonly principal: { readonly membership_id?: string };
  readonly user: { readonly display_name: string };
  readonly organization: { readonly name: string };
}

const KEY_MISSING =
  'This service already has its organization. Give the demo an API key of one of its owners in COUNTERSIGN_API_KEY ' +
  '(POST /api/v1/me/api_keys, as in docs/quickstart.md), or stop the service: the demo then starts one of its own.';

/** A key from the environment, or the first owner of a service without organization. */
export async function letPersonIn(
  service: Service,
  apiKey: string | undefined,
  stage: Stage,
): Promise<Person> {
  stage.step('The person');
  const given = service.own ? undefined : apiKey;
  const http = client(service.url, bearer(given ?? (await bootstrap(service, stage))));
  const { body } = await http.get<Account>('/api/v1/me');
  const name = body.user.display_name;
  stage.say(
    `${name} of ${body.organization.name} ${given === undefined ? 'is the owner, and calls with a personal API key' : 'calls with COUNTERSIGN_API_KEY'}.`,
  );
  return { name, http, membershipId: body.principal.membership_id ?? '' };
}

/**
 * The API key of the first owner. If the service keeps running, this shows the key once, because
 * the person needs it later.
 */
async function bootstrap({ url, dataDirectory, own }: Service, stage: Stage): Promise<string> {
  const secret = readSecret(dataDirectory);
  if (secret === undefined) throw new DemoStopped(KEY_MISSING);
  const [email, password] = ['ada@example.com', randomBytes(12).toString('base64url')];
  stage.say('There is no organization yet. The bootstrap secret creates the first owner, once.');
  const owner = { organization_name: 'Acme', display_name: 'Ada', email, password };
  const created = await client(url, {}).post('/auth/bootstrap', 201, {
    body: { secret, ...owner },
  });
  const cookie = created.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const browser = client(url, { cookie: cookie.join('; '), origin: new URL(url).origin });
  const { body } = await browser.post<{ token: string }>('/api/v1/me/api_keys', 201, {
    body: { name: 'demo' },
  });
  if (!own) {
    stage.say(`Sign in from now on as ${email} with the password ${password}`);
    stage.say(`Play again with COUNTERSIGN_API_KEY=${body.token}`);
  }
  return body.token;
}

function readSecret(dataDirectory: string): string | undefined {
  try {
    return readFileSync(join(dataDirectory, 'bootstrap-secret'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Names for this run only, so that the demo can run again on the same service. */
export async function setStage(service: Service, person: Person, stage: Stage): Promise<Cast> {
  const run = randomBytes(3).toString('hex');
  const [agentSlug, pathKey] = [`support-bot-${run}`, `on-call-${run}`];

  stage.step('The agent');
  await person.http.post('/api/v1/agents', 201, {
    body: { slug: agentSlug, name: `Support bot ${run}` },
  });
  const { body } = await person.http.post<{ credential: { id: string; token: string } }>(
    `/api/v1/agents/${agentSlug}/instances`,
    201,
    {
      body: { name: 'demo' },
    },
  );
  stage.say(
    `Agent ${agentSlug} with one instance. The adapter beside it got a credential that can ask, wait and withdraw, nothing else.`,
  );

  const levels = [randomUUID(), randomUUID()] as const;
  stage.step('The people');
  await createPath(person, { pathKey, levels });
  stage.say(
    `Escalation path ${pathKey}: level 1 asks ${person.name} and waits a minute, the shortest there is;`,
  );
  stage.say('level 2 asks everyone who may decide.');

  stage.step('The rules');
  await createPipeline(person, agentSlug, pathKey);
  stage.say('approve  refunds under 100');
  stage.say('deny     whatever drops a database');
  stage.say(`people   everything else, by way of ${pathKey}`);
  return {
    ...{ person, levels, credentialId: body.credential.id },
    adapter: client(service.url, bearer(body.credential.token)),
    workflowPage: (requestId) => temporalPage(service, requestId),
  };
}

async function createPath(
  { http, membershipId }: Person,
  { pathKey, levels }: { pathKey: string; levels: readonly [string, string] },
) {
  const nodes = [
    {
      id: levels[0],
      type: 'level',
      targets: [{ type: 'user', id: membershipId }],
      escalate_after: '1m',
    },
    { id: levels[1], type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '1h' },
  ];
  await http.post('/api/v1/escalation-paths', 201, {
    body: { path_key: pathKey, name: 'On call', nodes },
  });
  await http.post(`/api/v1/escalation-paths/${pathKey}/revisions/1/activate`, 200, {
    headers: { 'if-match': '"0"' },
  });
}

async function createPipeline({ http }: Person, agentSlug: string, pathKey: string): Promise<void> {
  const pipeline = `/api/v1/request-approval-pipelines/agents/${agentSlug}/revisions`;
  await http.post(pipeline, 201, { body: { blocks: demoRules, default_escalation_path: pathKey } });
  await http.post(`${pipeline}/2/activate`, 200, { headers: { 'if-match': '"1"' } });
}
