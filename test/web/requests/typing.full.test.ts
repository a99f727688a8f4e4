/** Someone types, believing that the focus is elsewhere. Nothing that prints a character may decide. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask, read } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

const pageOf = (id: string): string => `${app.url}/requests/${id}`;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const armed = (page: Page) => page.getByRole('group', { name: /You are about to/ });
const note = (page: Page) => page.getByRole('textbox', { name: /note/i });
const decisionsOf = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  await app.db('decisions').where({ request_id: id });
const isPending = async (id: string): Promise<boolean> =>
  (await read(id))['status'] === 'pending' && (await decisionsOf(id)).length === 0;
const rest = async (page: Page, ms: number) => {
  await page.waitForTimeout(ms);
};
/** Both keys reach the page together, however busy this machine is. */
const burst = async (page: Page, ...keys: readonly string[]) => {
  await Promise.all(keys.map(async (key) => await page.keyboard.press(key)));
};

/** Presses keys, each so many milliseconds after the one before by its own time, however busy this machine is. */
const keysWithTimes = async (page: Page) => {
  await page.evaluate(`{
    globalThis.keyAt = performance.now();
    Object.defineProperty(KeyboardEvent.prototype, 'timeStamp', {
      get() { return (this.keptAt ??= globalThis.keyAt); },
    });
  }`);
  return async (key: string, afterMs: number) => {
    await page.evaluate(`keyAt += ${afterMs}`);
    await page.keyboard.press(key);
  };
};

/** A pause of some milliseconds, or a key. */
type Typed = number | string;

const sentences: fc.Arbitrary<readonly Typed[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...'a A d D j k x no refund we owe, 1/?') },
    { weight: 6, arbitrary: fc.constant(' ') },
    { weight: 5, arbitrary: fc.constantFrom('Tab', 'Shift+Tab') },
    { weight: 1, arbitrary: fc.constantFrom(30, 350, 700, 1_100) },
  ),
  { minLength: 10, maxLength: 40 },
);

async function type(page: Page, typed: readonly Typed[]): Promise<void> {
  for (const each of typed)
    if (typeof each === 'number') await rest(page, each);
    else await page.keyboard.press(each === ' ' ? 'Space' : each);
}

describeInBrowser('typing', () => {
  const browser = startBrowser();

  test.each(['a', 'd'])(
    'any sentence at any speed after %s decides nothing, wherever Tab leads',
    async (opening) => {
      const id = await ask();
      const page = await browser.open(pageOf(id), { as: ada });
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/decision')) sent.push(request.url());
      });
      await fc.assert(
        fc.asyncProperty(sentences, async (sentence) => {
          await page.goto(pageOf(id));
          await button(page, 'Approve').waitFor();
          await type(page, [opening, ...sentence]);
          expect(sent).toEqual([]);
          expect(await isPending(id)).toBe(true);
        }),
        {
          numRuns: 12,
          endOnFailure: true,
          examples: [[[1_100, 'Shift+Tab', ...'Not a refund we owe']], [[...'Not a refund']]],
        },
      );
    },
  );

  test('after D becomes the note, and Ctrl+Enter sends it', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Deny').waitFor();
    await page.keyboard.type('dNot a refund we owe');
    expect(await note(page).inputValue()).toBe('Not a refund we owe');
    await rest(page, 700);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('by you').waitFor();
    expect(await decisionsOf(id)).toMatchObject([
      { status: 'denied', note: 'Not a refund we owe' },
    ]);
  });

  test('on the button that confirms does nothing, and neither does the Enter that ends it', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').click();
    await button(page, 'Confirm').focus();
    await rest(page, 700);
    await page.keyboard.press('Space');
    for (const key of ['x', 'Space', 'Backspace']) await burst(page, key, 'Enter');
    await note(page).focus();
    await burst(page, 'x', 'Tab', 'Tab', 'Enter');
    expect(await isPending(id)).toBe(true);
    await rest(page, 700);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('by you').waitFor();
    expect(await decisionsOf(id)).toMatchObject([{ status: 'approved', note: 'x' }]);
  });

  test('the key that opens the bar and Ctrl+Enter at once decide nothing', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').waitFor();
    await burst(page, 'a', 'Control+Enter');
    await armed(page).waitFor();
    expect(await note(page).inputValue()).toBe('');
    expect(await isPending(id)).toBe(true);
  });

  test('of a key that is held neither confirms nor fills the note', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').waitFor();
    for (const key of ['a', 'a', 'a']) await page.keyboard.down(key);
    await page.keyboard.up('a');
    await armed(page).waitFor();
    expect(await note(page).inputValue()).toBe('');
    await rest(page, 700);
    await page.keyboard.type('Fine.');
    expect(await note(page).inputValue()).toBe('Fine.');
  });

  test('after the bar closed is no key of the page until a second passed without keys', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Deny').click();
    await note(page).fill('Half a');
    await page.keyboard.press('Escape');
    await button(page, 'Deny').waitFor();
    const press = await keysWithTimes(page);
    for (const key of 'another-deadline') await press(key, 100);
    expect(await armed(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Deny D');
    await press('a', 1_100);
    await armed(page).waitFor();
    expect(await isPending(id)).toBe(true);
  });

  test('changing the answer by its button needs that second, too', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').click();
    await armed(page).waitFor();
    await burst(page, 'Escape', 'Tab', 'Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Deny D');
    expect(await armed(page).count()).toBe(0);
    await rest(page, 1_100);
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'You are about to deny' }).waitFor();
  });

  test('J, K and X rest while the bar is open', async () => {
    const [one, two] = [await ask({ tool: 'one' }), await ask({ tool: 'two' })];
    const page = await browser.open(pageOf(one), { as: ada });
    await page.getByRole('link', { name: /two/ }).waitFor();
    await button(page, 'Approve').click();
    await button(page, 'Cancel').focus();
    await rest(page, 1_100);
    for (const key of ['j', 'x', 'k', 'x']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await isPending(one)).toBe(true);
    expect(await isPending(two)).toBe(true);
  });

  test('in the dialog that denies several becomes their note, and decides nothing', async () => {
    const ids = [await ask({ tool: 'first' }), await ask({ tool: 'second' })];
    const page = await browser.open(`${app.url}/`, { as: ada });
    await page.getByRole('link', { name: /second/ }).waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    for (const tool of ['first', 'second'])
      await page.getByRole('checkbox', { name: new RegExp(`^Select ${tool} of`) }).check();
    await button(page, 'Deny 2 …').press('Space');
    await page.keyboard.type('Not these two');
    expect(await note(page).inputValue()).toBe('Not these two');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(' a d ', { delay: 20 });
    await burst(page, 'x', 'Enter');
    for (const id of ids) expect(await isPending(id)).toBe(true);
    await rest(page, 700);
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 denied.').waitFor();
    for (const id of ids) expect(await decisionsOf(id)).toMatchObject([{ note: 'Not these two' }]);
  });
});
