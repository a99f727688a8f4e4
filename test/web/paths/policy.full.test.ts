/** The escalation policy of a team in the browser: written, refused where it asks others, and shown below the team in a path. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePath, activatePolicy, createTeam } from '../../support/scene/factories.ts';
import { level, team, user } from '../../support/scene/nodes.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner, person } = await scene();
const mia = await person({ displayName: 'Mia Berg', can: REVIEWER });
const jonas = await person({ displayName: 'Jonas Weber', can: REVIEWER });
const newTeam = (name: string) => createTeam(app, organization.id, { name, members: [mia, jonas] });
const [desk, night] = [await newTeam('Refund desk'), await newTeam('Night shift')];
await activatePath(owner, {
  ...{ path_key: 'refunds', name: 'Refunds' },
  nodes: [level([team(desk)], '1h'), level([team(night)], '1h')],
});

describeInBrowser('the policy of a team', () => {
  const browser = startBrowser({ refusals: [400, 404, 412] });
  const policyOf = async (id: string) =>
    (await owner.http.get(`/api/v1/teams/${id}/escalation-policy`)).body;

  test('is written from a path, and then shown below the team there', async () => {
    const page = await browser.open(`${app.url}/paths/refunds`, { as: owner });
    await page.getByRole('button', { name: 'How it is asked' }).first().click();
    await page.getByText('No policy: all members at once.').waitFor();
    await page.getByRole('link', { name: 'Write a policy' }).click();
    await page.getByRole('heading', { level: 1, name: 'How Refund desk is asked' }).waitFor();
    await page.getByText('No policy is active, so all members are asked at once').waitFor();
    await page.getByRole('button', { name: 'Add a step at place 1' }).click();
    await page.getByRole('menuitem', { name: 'Ask people' }).click();
    await page.getByRole('button', { name: 'Add people' }).click();
    await page.getByRole('list', { name: 'People and teams' }).getByText('Mia Berg').click();
    // Everyone in the team must stand alone: said at the chip.
    await page.getByText('must be the only target', { exact: false }).waitFor();
    await screenshot(page, 'policy-problem');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove everyone' }).click();
    await page.getByRole('list', { name: 'In order' }).getByText('Mia Berg').waitFor();
    await screenshot(page, 'policy');
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Revision 1 is active').first().waitFor();
    expect(await policyOf(desk)).toMatchObject({
      nodes: [{ targets: [{ type: 'user', id: mia.membershipId }] }],
    });
    await page.goto(`${app.url}/paths/refunds`);
    await page.getByRole('button', { name: 'How it is asked' }).first().click();
    await page.getByText('Ask Mia Berg, then wait 30 min').waitFor();
    await screenshot(page, 'path-with-policy');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('is never written over what another administrator activated meanwhile, and can be ended', async () => {
    await activatePolicy(owner, night, { nodes: [level([user(mia)], '5m')] });
    const page = await browser.open(`${app.url}/teams/${night}/policy`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await page.getByRole('checkbox', { name: 'Make it urgent' }).check();
    await activatePolicy(owner, night, { nodes: [level([user(jonas)], '5m')] });
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Nothing was overwritten', { exact: false }).waitFor();
    expect(await policyOf(night)).toMatchObject({
      nodes: [{ targets: [{ id: jonas.membershipId }] }],
    });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await page.getByRole('button', { name: 'Ask all members at once …' }).click();
    await screenshot(page, 'policy-end-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Ask all at once', exact: true }).click();
    await page.getByText('No policy is active', { exact: false }).waitFor();
    expect((await owner.http.get(`/api/v1/teams/${night}/escalation-policy`)).status).toBe(404);
  });
});
