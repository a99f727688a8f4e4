/** The API reference as a browser draws it, under its policy. */
import { expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const app = await appForFile();

describeInBrowser('the API reference', () => {
  const browser = startBrowser();

  test('lists operations and webhooks by subject, and shows one with its bodies and errors', async () => {
    const page = await browser.open(`${app.url}/api/docs`);
    await page.getByRole('heading', { level: 1, name: 'Countersign' }).waitFor();
    await page.getByRole('button', { name: 'Tell a receiver that a request is decided' }).waitFor();
    await page.getByRole('link', { name: 'Review queue' }).click();
    await page.getByRole('button', { name: 'Read one request, or wait for its decision' }).click();
    await page.getByRole('heading', { name: 'Responses' }).waitFor();
    await page.getByText('The request.', { exact: true }).waitFor();
    expect(await page.getByRole('row', { name: /^404/ }).innerText()).toContain('not_found');
    await screenshot(page, 'reference');
    expect(page.url()).toContain('#/Review%20queue/getRequest');
  });
});
