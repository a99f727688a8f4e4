/** The page of an escalation path: its cards, and the picture of when people are asked. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePath, createTeam } from '../../support/scene/factories.ts';
import { level, team, user } from '../../support/scene/nodes.ts';
import { until } from '../../support/waiting.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

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

describeInBrowser('the page of an escalation path', () => {
  const browser = startBrowser({ refusals: [403] });

  test('moves the deadline in the picture by keys', async () => {
    const page = await browser.open(`${app.url}/paths/refunds`, { as: owner });
    const deadline = page.getByRole('slider', { name: 'Expires' });
    await deadline.focus();
    const timeout = page.getByRole('combobox', { name: 'Expires after' });
    expect(await timeout.inputValue()).toBe('1h');
    await page.keyboard.press('ArrowRight');
    await until('the time is chosen', async () => (await timeout.inputValue()) === '2h');
  });

  test('opens a path of 500 steps and draws only so much that it can be scrolled', async () => {
    const page = await browser.open(`${app.url}/paths/long`, { as: owner });
    const steps = page.getByRole('list', { name: 'Who is asked' });
    await steps.waitFor();
    const last = steps.getByRole('listitem').last();
    await last.scrollIntoViewIfNeeded();
    expect(await last.isVisible()).toBe(true);
    expect(await steps.locator('*').count()).toBeLessThan(40 * 500);
  });
});
