import { expect, test } from '@jest/globals';
import { identityProviderForFile } from '../support/servers/identity-provider.ts';
import { describeInBrowser, screenshot, startBrowser } from '../support/web/browser.ts';
import { scene } from '../support/scene.ts';

const provider = await identityProviderForFile();
const { app } = await scene({
  app: {
    environment: {
      ...provider.environment,
      COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com',
      COUNTERSIGN_OIDC_NAME: 'Acme',
    },
  },
});
await provider.register(app.url);
provider.person = { subject: 'grace', email: 'grace@example.com', email_verified: true };

describeInBrowser('the identity provider', () => {
  // A new member may read nothing yet.
  const browser = startBrowser({ refusals: [401, 403] });

  test('leads to the page that was asked for, also after a refusal', async () => {
    const page = await browser.open(`${app.url}/?scope=all`);
    provider.reply = { denies: true };
    await page.getByRole('button', { name: 'Continue with Acme' }).click();
    await page.getByText('refused the sign-in').waitFor();
    await screenshot(page, 'login-sso');
    provider.reply = {};
    await page.getByRole('button', { name: 'Continue with Acme' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(page.url()).toBe(`${app.url}/?scope=all`);
  });
});
