/** Every form of the web app, from the control that opens it to the control that gets the focus back, without a mouse. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { comes, until } from '../../support/waiting.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';
import { focused, mark, tabTo, untilOffered, walkThrough } from '../../support/web/form-walk.ts';
import { app, owner } from './forms-scene.ts';
import { ELSEWHERE, FORMS, PARTS, type Form } from './forms-table.ts';

interface Walked {
  /** What has the focus once the form is open. */
  readonly first: string;
  readonly fields: readonly string[];
  /** Which field has the focus after a refusal, and says why. */
  readonly refusedAt: string | undefined;
  readonly faults: readonly string[];
}

function formIn(page: Page, { form }: Form): Locator {
  if (form === 'dialog') return page.getByRole('dialog').last();
  if ('form' in form) return page.getByRole('form', { name: form.form, exact: true });
  if ('panel' in form)
    return page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: form.panel, exact: true }) })
      .last();
  return page.locator(form.part);
}

/** Opens the form by its controls, or goes to it. Returns the name of what has to get the focus back. */
async function enter(page: Page, form: Form): Promise<string> {
  const [button, entry] = form.opens ?? [];
  let opener = '';
  if (button !== undefined) {
    await page.getByRole('button', { name: button, exact: true }).first().waitFor();
    opener = await tabTo(page, ({ name }) =>
      typeof button === 'string' ? name === button : button.test(name),
    );
    await page.keyboard.press('Enter');
  }
  if (entry !== undefined) {
    await page.getByRole('menuitem', { name: entry, exact: true }).waitFor();
    await until(`the entry ${entry} has the focus`, async () => {
      if ((await focused(page)).name === entry) return true;
      await page.keyboard.press('ArrowDown');
      return false;
    });
    await page.keyboard.press('Enter');
  }
  const part = formIn(page, form);
  await part.waitFor();
  if (form.ready !== undefined) await page.getByText(form.ready).first().waitFor();
  await mark(part);
  if (button === undefined) await tabTo(page, ({ isInside }) => isInside);
  return opener;
}

/** Chooses and types what the form shows more fields for, and goes back to its first one. */
async function set(page: Page, { sets = [], fields }: Form): Promise<void> {
  for (const [field, typed] of sets) {
    await tabTo(page, ({ name, isInside }) => name === field && isInside);
    if (typed.startsWith('Arrow')) await page.keyboard.press(typed);
    else await page.keyboard.type(typed);
  }
  if (sets.length > 0) await tabTo(page, ({ name }) => name === fields[0], 'Shift+Tab');
}

/** Past its last control the focus leaves the form, and comes back: a dialog gives it to the browser meanwhile. */
async function leaveAndReturn(page: Page, form: Form, faults: string[]): Promise<void> {
  if (form.form === 'dialog') {
    for (let moves = 0; !(await focused(page)).isInside && moves < 3; moves += 1)
      await page.keyboard.press('Tab');
  } else {
    if ((await focused(page)).isInside) faults.push('Tab does not leave the form');
    await page.keyboard.press('Shift+Tab');
  }
  if (!(await focused(page)).isInside) faults.push('the focus does not come back into the form');
}

/** Sends it with what is wrong. */
async function refuse(page: Page, { refuses }: Form): Promise<string | undefined> {
  if (!refuses) return undefined;
  const { fill = {}, press, at } = refuses;
  for (const [field, value] of Object.entries(fill)) {
    await tabTo(page, ({ name }) => name === field);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(value);
  }
  const field = press ?? Object.keys(fill).at(-1) ?? at;
  await tabTo(page, ({ name, isInside }) => name === field && isInside);
  await page.keyboard.press('Enter');
  const isSaid = async () => {
    const { name, isInvalid, description } = await focused(page);
    return name === at && isInvalid && description !== '';
  };
  if (await comes('the refused field says why', isSaid)) return at;
  const { name, isInvalid, description } = await focused(page);
  return `${name}, ${isInvalid ? 'invalid' : 'not marked'}, described by “${description}”`;
}

async function close(page: Page, form: Form, faults: string[], opener: string): Promise<void> {
  const { closes = form.form === 'dialog' ? 'Escape' : undefined } = form;
  if (closes === undefined) return;
  if (closes !== 'Escape') await tabTo(page, ({ name, isInside }) => name === closes && isInside);
  await page.keyboard.press(closes === 'Escape' ? 'Escape' : 'Enter');
  await formIn(page, form).waitFor({ state: 'detached' });
  if (await comes('the focus is back', async () => (await focused(page)).name === opener)) return;
  const { name } = await focused(page);
  faults.push(`the focus goes to “${name}” instead of back to “${opener}”`);
}

/** Controls that the table does not name may stand between the two parts that it does: links come once names are read. */
function shortened(found: readonly string[], { fields }: Form): readonly string[] {
  const gap = fields.indexOf('…');
  const rest = fields.length - gap - 1;
  if (gap < 0 || found.length < fields.length - 1) return found;
  return [...found.slice(0, gap), '…', ...found.slice(found.length - rest)];
}

async function walk(page: Page, form: Form): Promise<Walked> {
  const faults: string[] = [];
  const opener = await enter(page, form);
  const { name: first } = await focused(page);
  await set(page, form);
  await untilOffered(page, form.fields.findLast((field) => field !== '…') ?? '');
  const fields = shortened(await walkThrough(page, faults), form);
  await leaveAndReturn(page, form, faults);
  const refusedAt = await refuse(page, form);
  await close(page, form, faults, opener);
  return { first, fields, refusedAt, faults };
}

describeInBrowser('by keys alone one goes through the form', () => {
  const browser = startBrowser({ refusals: [400, 401, 404, 409] });

  test.each(FORMS.map((form) => [form.name, form] as const))('%s', async (_name, form) => {
    const page = await browser.open(
      `${app.url}${form.page}`,
      form.isSignedOut ? {} : { as: owner },
    );
    const { fields, first = fields[0] ?? '', refuses } = form;
    expect(await walk(page, form)).toEqual({ first, fields, refusedAt: refuses?.at, faults: [] });
  });
});

const SOURCES = join(packageRoot(), 'web/src');
const IS_FORM = new RegExp(
  '<(form|Form|dialog|Modal|Drawer|Consequence|ConfirmByName|StillInUse|ReplaceSecret|NameForm|CodeForm)\\b',
);
const read = (...path: readonly string[]) => readFileSync(join(packageRoot(), ...path), 'utf8');

test('every form and dialog of the sources is gone through, here or in the test that is named', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && IS_FORM.test(read('web/src', file)))
    .toSorted();
  const here = FORMS.map(({ source }) => source);
  expect(files).toEqual([...new Set([...here, ...Object.keys(ELSEWHERE), ...PARTS])].toSorted());
  for (const file of Object.values(ELSEWHERE))
    expect(read('test/web', file)).toContain('keyboard.press(');
});
