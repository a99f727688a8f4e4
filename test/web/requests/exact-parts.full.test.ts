import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

const key = 'Approved by finance, safe to confirm: the amount was checked twice today';
const command = `ls${' '.repeat(300)}; rm -rf /`;
const call = () =>
  ask({
    tool: 'unknown_tool',
    arguments: { [key]: 'yes', command, lines: `one${'\n'.repeat(15)}two` },
  });

describeInBrowser('a call without a presentation', () => {
  const browser = startBrowser();

  test('is confirmed with its first argument as quoted source text, and says how much of a key it leaves out', async () => {
    const page = await browser.open(`${app.url}/requests/${await call()}`, { as: ada });
    await page.getByRole('button', { name: 'Approve' }).click();
    const bar = page.getByRole('group', { name: 'You are about to approve' });
    const shown = `"${key.slice(0, 45)}…${key.slice(-15)}"`;
    await bar.getByText(`Argument ${shown} (${key.length - 60} more characters): "yes"`).waitFor();
    expect(await bar.getByRole('code').allInnerTexts()).toEqual([shown, '"yes"']);
    await screenshot(page, 'request-armed-key');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('folds long runs of blanks, and a copy has them', async () => {
    const page = await browser.open(`${app.url}/requests/${await call()}`, {
      ...{ as: ada, viewport: PHONE },
    });
    const fold = page.getByRole('img', { name: '300 spaces' });
    await fold.waitFor();
    expect((await fold.boundingBox())?.width).toBeLessThan(120);
    await page.getByRole('img', { name: '15 line breaks' }).waitFor();
    const breaks = await page.getByRole('img', { name: '15 line breaks' }).boundingBox();
    expect(breaks?.height).toBeLessThan(30);
    const copied = await page.evaluate<string[]>(`{
      const texts = [...document.querySelectorAll('article bdi')];
      const copies = ['rm -rf', 'two'].map((end) => {
        getSelection().selectAllChildren(texts.find(({ textContent }) => textContent.includes(end)));
        return getSelection().toString();
      });
      copies;
    }`);
    expect(copied).toEqual([command, `one${'\n'.repeat(15)}two`]);
    await screenshot(page, 'request-folded-blanks');
    expect(await violationsOf(page)).toEqual([]);
  });
});
