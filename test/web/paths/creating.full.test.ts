/** Creating an escalation path in the browser, finding that it asks too late, fixing that; and archiving one. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePath, activatePipeline } from '../../support/scene/factories.ts';
import { level, user } from '../../support/scene/nodes.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, person } = await scene();
const mia = await person({ displayName: 'Mia Berg', can: REVIEWER });
const PATHS = '/api/v1/escalation-paths';

describeInBrowser('the pages of escalation paths', () => {
  const browser = startBrowser({ refusals: [400, 404, 409] });

  test('lead from no path to an active one that asks in time', async () => {
    const page = await browser.open(`${app.url}/paths`, { as: owner });
    await page.getByText('Requests without a path go to everyone at once.').waitFor();
    await screenshot(page, 'paths-empty');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Office hours, then on call/ }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Refunds');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Choose someone.').waitFor();
    await page.getByRole('list', { name: 'People and teams' }).getByText('Mia Berg').click();
    const zone = page.getByRole('combobox', { name: 'Time zone of the office' });
    for (const [typed, found] of [
      ['Kolkata', 'Asia/Kolkata'],
      ['calcutta', 'Asia/Kolkata'],
      ['Mumbai', 'Asia/Kolkata'],
      ['kiev', 'Europe/Kyiv'],
      ['new york', 'America/New_York'],
    ] as const) {
      await zone.fill(typed);
      await page.getByRole('option', { name: found }).waitFor();
    }
    await zone.fill('Europe/Ber');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await screenshot(page, 'path-new');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor();
    const presets = page.getByRole('list', { name: 'At three usual times' });
    const saturday = (then: RegExp) =>
      presets
        .getByRole('button', { name: /^Sat 12:00/ })
        .and(presets.getByRole('button', { name: then }));
    await saturday(/first asked Mon 09:00 \(4[456] h\), after the deadline$/).waitFor();
    // The finding of the screen, fixed: the office is open on Saturdays, too.
    const grid = page.getByRole('grid', { name: 'Week of Office hours' });
    await grid.getByRole('gridcell', { name: 'Mon 09:00, open' }).focus();
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await saturday(/Mia Berg asked at once$/).waitFor();
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Revision 2 is active').first().waitFor();
    await screenshot(page, 'path-created');
    const { body } = await owner.http.get(`${PATHS}/refunds`);
    expect(body).toMatchObject({
      ...{ revision: 2, is_active: true },
      working_hours: [{ timezone: 'Europe/Berlin' }],
    });
  });

  test('activate a new path as it was created', async () => {
    const nodes = [level([user(mia)], '30m')];
    await owner.http.post(PATHS, { path_key: 'fresh', name: 'Fresh', nodes });
    const page = await browser.open(`${app.url}/paths/fresh`, { as: owner });
    await page.getByRole('button', { name: 'Activate revision 1 …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Revision 1 is active').first().waitFor();
  });

  test('say what uses a path, refuse to archive it, and archive one that nothing uses', async () => {
    const nodes = [level([user(mia)], '30m')];
    await activatePath(owner, { path_key: 'used', name: 'Used', nodes });
    const block = { id: 'large', name: 'Large refunds', type: 'always' };
    const config = { outcome: 'human', reason: 'Look.', escalation_path: 'used' };
    await activatePipeline(owner, 'organization', { blocks: [{ ...block, config }] });
    const page = await browser.open(`${app.url}/paths/used`, { as: owner });
    await page.getByRole('link', { name: 'Large refunds' }).waitFor();
    await page.getByRole('button', { name: 'Archive …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 rule or default uses this path.', { exact: false }).waitFor();
    await dialog.getByRole('link', { name: 'Large refunds' }).waitFor();
    // It is taken out of the rules, and named again while the dialog is open.
    await activatePipeline(owner, 'organization', { blocks: [] });
    await page.reload();
    await page.getByText('No rule uses it.').waitFor();
    await page.getByRole('button', { name: 'Archive …' }).click();
    await dialog.getByRole('textbox').fill('used');
    await activatePipeline(owner, 'organization', { blocks: [{ ...block, config }] });
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
    await dialog.getByRole('link', { name: 'Large refunds' }).waitFor();
    expect((await owner.http.get(`${PATHS}/used`)).status).toBe(200);
    await activatePipeline(owner, 'organization', { blocks: [] });
    await page.reload();
    await page.getByRole('button', { name: 'Archive …' }).click();
    await dialog.getByRole('textbox').fill('used');
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Escalation paths' }).waitFor();
    expect((await owner.http.get(`${PATHS}/used`)).status).toBe(404);
    await page.goto(`${app.url}/paths/used`);
    await page.getByText('This is archived. No one can change it.').waitFor();
  });
});
