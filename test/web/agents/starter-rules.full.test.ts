/** From the page that connects a coding agent to a draft of rules for it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { appForFile } from '../../support/scene.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

const app = await appForFile();
const organization = await createOrganization(app);
const { owner } = organization;
await createAgent(app, organization, 'desk-coder');

describeInBrowser('an owner', () => {
  const browser = startBrowser();

  test('gets the rules of the example for a coding agent as a draft, once', async () => {
    const page = await browser.open(`${app.url}/agents/desk-coder/connect`, { as: owner });
    await page.getByRole('radio', { name: /This machine/ }).check();
    await page.getByText('countersign-hook install claude').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Start with rules for it' }).click();
    await page.getByText(/draft has rules for a coding agent.*\/srv\/projects/).waitFor();
    const example = await readFile(
      join(packageRoot(), 'examples/configuration/pipelines/agents/desk-coder.yaml'),
      'utf8',
    );
    const { blocks } = parse(example) as { blocks: { name: string }[] };
    const cards = page.getByRole('article');
    for (const { name } of blocks) await cards.filter({ hasText: name }).waitFor();
    await page.reload();
    await page.getByText('These are your unsaved changes').waitFor();
    expect(await cards.count()).toBe(blocks.length);
  });
});
