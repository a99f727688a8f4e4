/** The page of an escalation path: its cards, and the picture of when people are asked. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { activatePath, createTeam } from '../../support/scene/factories.ts';
import { level, team, user } from '../../support/scene/nodes.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner, person } = await scene();
const mia = await person({ displayName: 'Mia Berg', can: REVIEWER });
const gone = await person({ displayName: 'Gus <b>Gone</b>', can: REVIEWER, status: 'suspended' });
const desk = await createTeam(app, organization.id, {
  name: 'Refund desk',
  members: [mia],
});
const office = {
  id: 'office',
  name: 'Office Berlin',
  timezone: 'Europe/Berlin',
  intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
};
const id = () => randomUUID();
const defer = () => ({ id: id(), type: 'defer', working_hours_id: 'office', standard_only: true });
const large = {
  id: 'large',
  ...{ field: '/request/arguments/amount', operator: 'greater_than', value: 10000 },
};
await activatePath(owner, {
  path_key: 'refunds',
  name: 'Refunds',
  working_hours: [office],
  nodes: [
    {
      id: id(),
      type: 'if_else',
      conditions: [
        { type: 'working_hours', working_hours_id: 'office', active: false },
        { type: 'request', when: large },
      ],
      then: [level([user(owner)], '10m', { raise_urgency: true })],
      else: [],
    },
    defer(),
    level([team(desk)], '30m'),
    level([user(gone), { type: 'broadcast' }], '1h'),
  ],
  repeat: { times: 2, after: '30m' },
});
await activatePath(owner, {
  path_key: 'long',
  name: 'Long',
  nodes: Array.from({ length: 500 }, () => level([user(mia)], '1m')),
});
const reader = await createPerson(app, organization.id, {
  displayName: 'Rea Der',
  policies: [everywhere('escalation_path.read')],
});

describeInBrowser('the page of an escalation path', () => {
  const browser = startBrowser({ refusals: [403] });
  const preset = (page: Awaited<ReturnType<typeof browser.open>>, name: RegExp) =>
    page.getByRole('list', { name: 'At three usual times' }).getByRole('button', { name });

  // 45 h from Saturday to Monday, and one less or more where clocks change that night.
  test('shows who is asked, and that Saturday’s first call comes after the deadline', async () => {
    const page = await browser.open(`${app.url}/paths`, { as: owner });
    await page.getByRole('link', { name: 'Refunds' }).click();
    await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor();
    const walk = page.getByRole('list', { name: 'Who is asked' });
    await walk.getByText('Refund desk').waitFor();
    const value = walk.getByLabel('Value', { exact: true });
    await value.waitFor();
    expect(await value.inputValue()).toBe('10000');
    // The row has the width of its card, so that the name of the field can be read.
    const widthOf = async (part: typeof value) => (await part.boundingBox())?.width ?? 0;
    const asked = walk.getByRole('group', { name: 'Condition', exact: true });
    const lane = walk.getByRole('list', { name: 'If so' });
    expect(await widthOf(asked)).toBeGreaterThan(0.8 * (await widthOf(lane)));
    // Foreign text stays text.
    await walk.getByText('Gus <b>Gone</b>').waitFor();
    await walk.getByText('Suspended: is not asked').waitFor();
    await preset(
      page,
      /^Sat 12:00 Refund desk first asked Mon 09:00 \(4[456] h\), after the deadline$/,
    ).click();
    await page.getByText('No one is asked before the request expires.').waitFor();
    await page.getByText('No one sees it', { exact: false }).first().waitFor();
    await preset(page, /^Tue 10:00 Refund desk asked at once$/).waitFor();
    const steps = page.getByRole('list', { name: 'In order' });
    expect(await steps.getByText('Refund desk').count()).toBeGreaterThan(0);
    await screenshot(page, 'path-desk');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Expires after' }).selectOption('168h');
    await preset(page, /^Sat 12:00 Refund desk first asked Mon 09:00 \(4[456] h\)$/).waitFor();
    await page.getByRole('combobox', { name: 'Times' }).selectOption('Europe/Berlin');
    await steps
      .getByText(/^Mon .*09:00$/)
      .first()
      .waitFor();
    await screenshot(page, 'path-desk-long-deadline');
  });

  test('fits a phone, in the dark, and says what a reader may not see', async () => {
    const page = await browser.open(`${app.url}/paths/refunds`, {
      as: reader,
      viewport: PHONE,
      dark: true,
    });
    await page
      .getByText('No one is asked before', { exact: false })
      .or(page.getByText('Asked').first())
      .first()
      .waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
    await screenshot(page, 'path-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
  });
});
