/** Where the forms of the web app are: an organization with one of everything. */
import { REVIEWER, scene } from '../../support/scene.ts';
import { LOOPBACK_ALLOWED } from '../../support/servers/webhook-receiver.ts';
import { cheapHashOf, PASSWORD, SECRETS_KEY } from '../../support/scene/sign-in.ts';

/** Where nothing listens: no form of the table calls it. */
const URL_OF_OURS = 'http://127.0.0.1:9/';

export const { app, owner, people, teams, organization, ask } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_EDITION: 'hosted',
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
    },
  },
  people: { ada: { can: REVIEWER, displayName: 'Ada' }, bob: REVIEWER },
  teams: { night: ['ada'] },
  paths: { refunds: [['ada']], spare: [['ada']] },
  pipelines: { 'support-bot': 'refunds' },
});

await app
  .db('users')
  .where({ id: owner.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

const post = async (path: string, body: object): Promise<string> => {
  const { status, body: made, text } = await owner.browser.post(`/api/v1/${path}`, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return String(made['id'] ?? '');
};

await post('notification_channels', { kind: 'webhook', name: 'Pager', url: URL_OF_OURS });
await post('webhook_endpoints/fraud/revisions', { name: 'Fraud check', url: URL_OF_OURS });
await post('agents/support-bot/instances', { name: 'laptop' });
await post('me/api_keys', { name: 'nightly' });
await post('invitations', { email: 'uma@example.com', permission_policies: [] });
export const presentation = await post('tool_presentations', {
  tool: 'wire',
  title: 'Wire {/amount}',
  fields: [{ path: '/amount', label: 'Amount', kind: 'number', role: 'primary' }],
});
export const request = await ask({ tool: 'wire', arguments: { amount: 12.5 } });
