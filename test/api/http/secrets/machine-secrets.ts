/** What machines get and use, once correctly and once wrongly: keys, credentials, enrollment codes and signing secrets. */
import type { SecretCalls } from './secret-calls.ts';

export async function keysAndCredentials(
  { bearer, browser, shownToken }: SecretCalls,
  cookie: string,
): Promise<void> {
  const owner = browser(cookie);
  const personal = shownToken(
    'personal key',
    String((await owner.post('/api/v1/me/api_keys', { name: 'script' })).body['token']),
  );
  const scoped = await owner.post('/api/v1/me/api_keys', {
    name: 'scoped',
    permissions: ['agent.read'],
  });
  shownToken('scoped key', String(scoped.body['token']));
  const grants = [
    {
      scope_kind: 'organization',
      resource_ids: [],
      permissions: ['agent.read', 'organization.read'],
    },
  ];
  const issued = await owner.post(
    '/api/v1/api_keys',
    { name: 'integration', permission_policies: grants },
    { 'idempotency-key': 'a' },
  );
  const integration = shownToken('organization key', String(issued.body['token']));
  await owner.post('/api/v1/agents', { slug: 'deploy-bot', name: 'Deploy bot' });
  const instance = await owner.post('/api/v1/agents/deploy-bot/instances', { name: 'one' });
  const credential = shownToken('agent credential', String(instance.body['credential']?.['token']));
  await bearer(credential).post(
    '/api/aap/v1/requests',
    { tool: 'deploy', arguments: {}, timeout: '1h' },
    { 'idempotency-key': 'b' },
  );
  const demo = await owner.post('/api/v1/demo-agent');
  shownToken("demo agent's credential", String(demo.body['credential']?.['token']));
  const provisioner = await owner.post('/api/v1/agents/deploy-bot/provisioners');
  const fleet = shownToken('provisioner token', String(provisioner.body['token']));
  const key = { 'idempotency-key': 'c' };
  const replica = await bearer(fleet).post('/api/aap/v1/instances', {}, key);
  shownToken("replica's credential", String(replica.body['credential']?.['token']));
  for (const token of [personal, integration, credential, fleet]) {
    for (const path of [
      '/api/v1/me',
      '/api/v1/organization',
      '/api/v1/api_keys/verify',
      '/api/v1/agents',
      '/api/v1/me/api_keys',
    ]) {
      await bearer(token).call('GET', path);
    }
    await bearer(`${token}x`).call('GET', '/api/v1/me');
    await bearer(token).call('GET', `/api/v1/agents?token=${token}`);
    await bearer(token).call('GET', `/${token}`);
  }
  await owner.call('GET', '/api/v1/me/api_keys');
  await owner.call('GET', '/api/v1/api_keys');
}

export async function enrollments(
  { anonymous, browser, shown, shownToken }: SecretCalls,
  cookie: string,
): Promise<void> {
  const owner = browser(cookie);
  const started = await anonymous.post('/auth/agent_enrollments', {
    runtime: 'test',
    instance_name: 'enrolled',
  });
  const code = shownToken('enrollment code', String(started.body['enrollment_code']));
  const userCode = shown('user code', String(started.body['user_code']));
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: `${code}x` });
  await owner.call('GET', `/api/v1/agent_enrollments/${userCode}`);
  await owner.call('GET', `/api/v1/agent_enrollments/${userCode}x`);
  await owner.post(`/api/v1/agent_enrollments/${userCode}/authorize`, {});
  await owner.post(`/api/v1/agent_enrollments/${userCode}/authorize`, { agent_slug: 'deploy-bot' });
  const enrolled = await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
  shownToken('enrolled credential', String(enrolled.body['credential']?.['token']));
  await anonymous.post('/auth/agent_enrollments/token', { enrollment_code: code });
}

export async function webhookEndpoints(
  { browser, shown }: SecretCalls,
  cookie: string,
): Promise<void> {
  const owner = browser(cookie);
  const path = '/api/v1/webhook_endpoints/refund-rules';
  // Nothing listens on port 1, so a test fails.
  const document = { name: 'Refund rules', url: 'https://127.0.0.1:1/' };
  const created = await owner.post(`${path}/revisions`, document);
  shown('signing secret', String(created.body['signing_secret']).replace('whsec_', ''));
  await owner.post(`${path}/revisions`, document);
  await owner.post(`${path}/revisions/1/activate`, undefined, { 'if-match': '"0"' });
  await owner.post(`${path}/revisions/1/test`);
  const rotated = await owner.post(`${path}/rotate_secret`);
  shown('next signing secret', String(rotated.body['signing_secret']).replace('whsec_', ''));
  await owner.post(`${path}/revisions/1/test`);
  for (const part of ['', '/revisions', '/revisions/1', '/uses', '/deliveries'])
    await owner.call('GET', `${path}${part}`);
  await owner.call('GET', '/api/v1/webhook_endpoints');
}
