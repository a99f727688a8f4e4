/** When people are asked, on the page of a request: as a picture, and where no one is asked in time or at all. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { REVIEWER, scene } from '../../support/scene.ts';
import { closedHours, level, user } from '../../support/scene/nodes.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, askOn, person } = await scene({ people: { ada: REVIEWER } });

const night = { working_hours: [closedHours('night')] };
const defer = () => ({
  id: randomUUID(),
  type: 'defer',
  working_hours_id: 'night',
  standard_only: false,
});

describeInBrowser('the page of a request', () => {
  const browser = startBrowser();
  const open = (id: string) => browser.open(`${app.url}/requests/${id}`, { as: owner });

  test('draws who was asked and who is still to be asked, until the deadline', async () => {
    const mia = await person({ displayName: 'Mia Berg', can: REVIEWER });
    const jonas = await person({ displayName: 'Jonas Weber', can: REVIEWER });
    const gus = await person({ displayName: 'Gus Late', can: REVIEWER });
    const nodes = [level([user(mia)], '20m'), level([user(jonas)], '50m'), level([user(gus)])];
    const page = await open(await askOn({ nodes }, { timeout: '1h' }));
    const picture = page.getByRole('region', { name: 'Schedule' });
    await picture.getByText('Mia Berg').waitFor();
    await picture.getByText('Jonas Weber').waitFor();
    for (const meaning of ['Asked', 'Still to be asked', 'Now'])
      await page.locator('figcaption').getByText(meaning, { exact: true }).waitFor();
    // Their turn would come after the deadline.
    expect(await picture.getByText('Gus Late').count()).toBe(0);
    await screenshot(page, 'request-schedule');
  });

  test('says that working hours begin after the deadline, among the people and in the timeline', async () => {
    const bob = await person({ can: REVIEWER });
    const nodes = [defer(), level([user(bob)])];
    const late = await open(await askOn({ nodes, ...night }, { timeout: '1h' }));
    await late.getByText('No one will be asked before it expires.').waitFor();
    await late
      .getByText(/begin after the deadline, so no one else will be asked in time/)
      .waitFor();
    const inTime = await open(await askOn({ nodes, ...night }, { timeout: '48h' }));
    await inTime.getByText('Waiting for working hours', { exact: true }).waitFor();
    if (await inTime.getByText(/before it expires/).isVisible()) throw new Error('it is in time');
  });

  test('says that no one on the path could be asked, and which owners were told', async () => {
    const gone = await person({ can: REVIEWER, status: 'suspended' });
    const page = await open(await askOn({ nodes: [level([user(gone)])] }));
    await page.getByText('No one on the path could be asked.').waitFor();
    await page.getByText(/Notified the owners: /).waitFor();
  });
});
