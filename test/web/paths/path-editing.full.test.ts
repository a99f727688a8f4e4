/** Changing an escalation path in the browser: cards, working hours, saving, activating, and two administrators at once. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePath } from '../../support/scene/factories.ts';
import { level, user } from '../../support/scene/nodes.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, person } = await scene();
const mia = await person({ displayName: 'Mia Berg', can: REVIEWER });
const nodes = [level([user(mia)], '30m')];
await activatePath(owner, { path_key: 'refunds', name: 'Refunds', nodes });
await activatePath(owner, { path_key: 'shared', name: 'Shared', nodes });

const WORKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'];
const hours = (id: string, name: string) => ({
  ...{ id, name, timezone: 'Europe/Berlin' },
  intervals: [{ weekdays: WORKDAYS, start: '09:00', end: '17:00' }],
});
const working_hours = [hours('office', 'Office'), hours('desk', 'Desk')];
await activatePath(owner, { path_key: 'rows', name: 'Rows', working_hours, nodes });

const active = async (key: string) =>
  (await owner.http.get(`/api/v1/escalation-paths/${key}`)).body as unknown as {
    revision: number;
    nodes: { type: string; targets?: unknown[]; escalate_after?: string }[];
    working_hours: { intervals: unknown[] }[];
  };

describeInBrowser('the editor of an escalation path', () => {
  const browser = startBrowser({ refusals: [400, 412] });

  test('adds a step and working hours, undoes a removal, and activates what was made', async () => {
    const page = await browser.open(`${app.url}/paths/refunds`, { as: owner });
    await page.getByRole('button', { name: 'Add a step at place 1' }).click();
    await page.getByRole('menuitem', { name: 'Wait for hours' }).click();
    const grid = page.getByRole('grid', { name: 'Week of Office hours' });
    await grid.getByRole('gridcell', { name: 'Mon 09:00, open' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    await grid.getByRole('gridcell', { name: 'Mon 08:00, open' }).waitFor();
    await page.getByRole('button', { name: 'Add people' }).click();
    await page
      .getByRole('list', { name: 'People and teams' })
      .getByText('Everyone who may')
      .click();
    await page.getByRole('button', { name: 'More for step 2' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await screenshot(page, 'path-editor-desk');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Revision 2 is active').first().waitFor();
    const saved = await active('refunds');
    expect(saved.nodes.map(({ type, targets }) => [type, targets?.length])).toEqual([
      ['defer', undefined],
      ['level', 2],
    ]);
    expect(saved.working_hours[0]?.intervals).toContainEqual({
      ...{ weekdays: ['mon'], start: '08:00', end: '17:30' },
    });
  });

  test('asks about the request in rows, and takes hours to the minute', async () => {
    const page = await browser.open(`${app.url}/paths/rows`, { as: owner });
    await page.getByRole('button', { name: 'Add a step at place 1' }).click();
    await page.getByRole('menuitem', { name: 'Split' }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('menuitem', { name: 'the content of the request' }).click();
    const rows = page.getByRole('group', { name: 'Condition', exact: true });
    await rows.getByRole('textbox', { name: 'Value' }).fill('2500.50');
    const times = page.getByRole('group', { name: 'Exact times of Office' });
    await times.getByRole('textbox', { name: 'Times 1: from' }).fill('08:30');
    await page.getByRole('gridcell', { name: 'Mon 08:00, partly open' }).waitFor();
    await times.getByRole('checkbox', { name: 'Sat' }).check();
    await page
      .getByText(/^Open 40 h a week together with/)
      .first()
      .waitFor();
    await page
      .getByText(/^Clocks go (?:forward|back) by 1 h on /)
      .first()
      .waitFor();
    await screenshot(page, 'path-rows');
    expect(await violationsOf(page)).toEqual([]);
    const zone = page.getByRole('combobox', { name: 'Time zone' }).first();
    await zone.fill('Nowhere/Else');
    await zone.press('Tab');
    await page.getByText('must be the IANA name', { exact: false }).waitFor();
    await zone.fill('Europe/Berlin');
    await zone.press('Tab');
    await page.getByText('must be the IANA name', { exact: false }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as revision 2.', { exact: false }).waitFor();
    const saved = await owner.http.get('/api/v1/escalation-paths/rows/revisions/2');
    expect(saved.text).toContain('"value":2500.50');
    expect(saved.body).toMatchObject({
      working_hours: [{ intervals: [{ weekdays: [...WORKDAYS, 'sat'], start: '08:30' }] }, {}],
    });
  });

  test('never writes over what another administrator activated meanwhile', async () => {
    const page = await browser.open(`${app.url}/paths/shared`, { as: owner });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine');
    const body = { name: 'Theirs', nodes };
    await owner.http.post('/api/v1/escalation-paths/shared/revisions', body);
    const headers = { 'if-match': '"1"' };
    const path = '/api/v1/escalation-paths/shared/revisions/2/activate';
    await owner.http.post(path, undefined, { headers });
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Nothing was overwritten', { exact: false }).waitFor();
    expect((await active('shared')).revision).toBe(2);
  });
});
