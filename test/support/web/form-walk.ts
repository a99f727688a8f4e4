/** A form as someone goes through it who has only a keyboard. */
import type { Locator, Page } from 'playwright-core';
import { comes, until } from '../waiting.ts';

export interface Control {
  /** The same for the same element. */
  readonly id: number;
  readonly name: string;
  readonly kind:
    'text' | 'date' | 'checkbox' | 'radio' | 'select' | 'combobox' | 'menu' | 'button' | 'none';
  readonly value: string;
  readonly isInside: boolean;
  readonly isInvalid: boolean;
  /** What screen readers say about it next to its name, those around it included. */
  readonly description: string;
  readonly hasRing: boolean;
  readonly isReadOnly: boolean;
  readonly isExpanded: boolean;
  /** How many others it offers to choose from. */
  readonly choices: number;
  readonly box: Readonly<Record<'top' | 'bottom' | 'left', number>>;
}

/** Where nothing has the focus, the body has it. */
const SCRIPT = `(globalThis.formWalk ??= (() => {
  const ids = new WeakMap();
  let count = 0;
  const idOf = (element) => {
    if (!ids.has(element)) ids.set(element, (count += 1));
    return ids.get(element);
  };
  const scope = () => document.querySelector('[data-walked]');
  const textOf = (element) => (element?.textContent ?? '').replace(/\\s+/g, ' ').trim();
  const named = (list) =>
    (list ?? '').split(' ').filter(Boolean).map((id) => textOf(document.getElementById(id))).join(' ');
  const nameOf = (element) =>
    element.getAttribute('aria-label') ??
    (named(element.getAttribute('aria-labelledby')) || textOf(element.labels?.[0]) || textOf(element));
  const kindOf = (element) => {
    if (element === document.body || element === scope()) return 'none';
    if (element.getAttribute('aria-haspopup') === 'menu') return 'menu';
    if (element.getAttribute('role') === 'combobox') return 'combobox';
    if (element.matches('select')) return 'select';
    if (element.matches('input[type=checkbox], input[type=radio]')) return element.type;
    if (element.matches('input[type=date]')) return 'date';
    return element.matches('input, textarea') ? 'text' : 'button';
  };
  const around = (element) => {
    const all = [];
    for (let each = element; each && each !== scope(); each = each.parentElement)
      if (each === element || each.matches('fieldset, [role=group]')) all.push(each);
    return all;
  };
  const hasRing = (element) =>
    [element, element.nextElementSibling, element.parentElement, element.closest('label')].some((each) => {
      if (!each) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    });
  const optionsOf = (element) => {
    if (element.matches('select')) return [...element.options].filter(({ disabled }) => !disabled).length - 1;
    if (element.type !== 'radio') return 0;
    return document.querySelectorAll('input[type=radio][name="' + CSS.escape(element.name) + '"]:not(:disabled)').length - 1;
  };
  const describe = (element) => {
    // What is in a dialog scrolls with it.
    const seen = [...(scope()?.children ?? [])].find((child) => child.checkVisibility());
    const origin = (seen ?? document.body).getBoundingClientRect();
    const { top, bottom, left } = element.getBoundingClientRect();
    return {
      id: idOf(element),
      name: element === document.body ? '' : nameOf(element),
      kind: kindOf(element),
      value: /checkbox|radio/.test(element.type) ? String(element.checked) : String(element.value ?? ''),
      isInside: scope()?.contains(element) ?? false,
      isInvalid: around(element).some((each) => each.matches('[aria-invalid=true], [data-problem]')),
      description: around(element).map((each) => named(each.getAttribute('aria-describedby'))).join(' ').trim(),
      hasRing: hasRing(element),
      isReadOnly: element.readOnly === true || element.getAttribute('aria-disabled') === 'true',
      isExpanded: element.getAttribute('aria-expanded') === 'true',
      choices: optionsOf(element),
      box: { top: top - origin.top, bottom: bottom - origin.top, left: left - origin.left },
    };
  };
  const CONTROLS = 'input:not([type=hidden]), select, textarea, button, a[href], summary, [tabindex="0"]';
  const isOffered = (element) =>
    !element.disabled && element.tabIndex >= 0 && element.checkVisibility() && element.getBoundingClientRect().width > 0 &&
    (element.type !== 'radio' || element.checked || !document.querySelector('input[type=radio][name="' + CSS.escape(element.name) + '"]:checked'));
  return {
    focused: () => describe(document.activeElement),
    offered: () => [...(scope()?.querySelectorAll(CONTROLS) ?? [])].filter(isOffered).map((each) => describe(each)),
  };
})())`;

const ask = async <Value>(page: Page, what: 'focused' | 'offered'): Promise<Value> => {
  return await page.evaluate<Value>(`${SCRIPT}.${what}()`);
};

export const focused = (page: Page): Promise<Control> => ask<Control>(page, 'focused');

/** A page has fewer controls than this. */
const MOST_STOPS = 150;

/** Presses Tab until what has the focus is what is looked for. Returns its name. */
export async function tabTo(
  page: Page,
  isIt: (control: Control) => boolean,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<string> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    const control = await focused(page);
    if (isIt(control)) return control.name;
    passed.push(control.name);
    await page.keyboard.press(key);
  }
  throw new Error(`${key} comes only to: ${passed.join(' | ')}`);
}

/** Names which part of the page is the form. */
export async function mark(form: Locator): Promise<void> {
  await form.evaluate((element) => {
    (element as unknown as { dataset: Record<string, string> }).dataset['walked'] = '';
  });
}

/** What the form offers may come with a later part of the page. */
export async function untilOffered(page: Page, name: string): Promise<void> {
  await until(`${name} is offered`, async () => {
    const offered = await ask<Control[]>(page, 'offered');
    return offered.some((control) => control.name === name);
  });
}

/** Every control of the form, in the order in which Tab comes to it. What is wrong with one is added to `faults`. */
export async function walkThrough(page: Page, faults: string[]): Promise<string[]> {
  const stops: Control[] = [];
  for (;;) {
    const control = await focused(page);
    // Day, month and year are stops of one control.
    if (control.kind === 'date' && stops.at(-1)?.id === control.id) {
      await page.keyboard.press('Tab');
      continue;
    }
    if (!control.isInside || stops.some(({ id }) => id === control.id)) break;
    // A dialog whose content still loads has the focus itself.
    if (control.kind === 'none') {
      await page.keyboard.press('Tab');
      continue;
    }
    if (!control.hasRing) faults.push(`one does not see that ${control.name} has the focus`);
    stops.push(control);
    await operate(page, control, faults);
    await page.keyboard.press('Tab');
  }
  for (const [index, { name, box }] of stops.slice(1).entries()) {
    const before = stops[index] as Control;
    const isBefore =
      box.bottom <= before.box.top || (overlap(box, before.box) && box.left < before.box.left);
    if (isBefore) faults.push(`${name} is drawn before ${before.name}, and Tab comes to it after`);
  }
  const offered = await ask<Control[]>(page, 'offered');
  for (const { id, name } of offered)
    if (!stops.some((stop) => stop.id === id)) faults.push(`Tab does not come to ${name}`);
  return stops.map(({ name }) => name);
}

const overlap = (one: Control['box'], other: Control['box']): boolean =>
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) >
  (other.bottom - other.top) / 2;

/** The keys that change a control, and those that change it back. */
const KEYS: Readonly<Partial<Record<Control['kind'], readonly [string, string]>>> = {
  text: ['x', 'Backspace'],
  date: ['ArrowUp', 'ArrowDown'],
  checkbox: ['Space', 'Space'],
  radio: ['ArrowRight', 'ArrowLeft'],
  select: ['ArrowDown', 'ArrowUp'],
};

const countOf = async (page: Page): Promise<number> =>
  (await ask<Control[]>(page, 'offered')).length;

async function operate(page: Page, control: Control, faults: string[]): Promise<void> {
  const { id, name, kind, value, isReadOnly, choices } = control;
  if (kind === 'combobox' || kind === 'menu') await unfold(page, control, faults);
  const keys = KEYS[kind];
  const isSingle = (kind === 'radio' || kind === 'select') && choices === 0;
  if (!keys || isReadOnly || isSingle) return;
  const others = kind === 'text' ? await countOf(page) : 0;
  if (kind === 'text') await page.keyboard.press('End');
  if (kind === 'radio' && value === 'false') await page.keyboard.press('Space');
  await page.keyboard.press(keys[0]);
  let changed = await focused(page);
  if (kind === 'select' && changed.value === value) {
    // It was the last one.
    await page.keyboard.press('ArrowUp');
    changed = await focused(page);
    await page.keyboard.press('ArrowDown');
  } else await page.keyboard.press(keys[1]);
  const isChanged = kind === 'radio' ? changed.id !== id : changed.value !== value;
  if (!isChanged) faults.push(`keys do not change ${name}`);
  const after = await focused(page);
  // What was typed may narrow a list below it for a moment. More of it may have come meanwhile.
  if (kind === 'text')
    await until(`all is there again below ${name}`, async () => (await countOf(page)) >= others);
  if (after.id !== id) faults.push(`${name} lost the focus while it was changed`);
}

/** Opens its list, and closes it without closing what is around it. */
async function unfold(page: Page, { id, name, kind }: Control, faults: string[]): Promise<void> {
  await page.keyboard.press(kind === 'menu' ? 'Enter' : 'ArrowDown');
  const isOpen = async () => {
    const count = await page.getByRole(kind === 'menu' ? 'menu' : 'listbox').count();
    return count > 0;
  };
  if (!(await comes('the list opens', isOpen))) {
    faults.push(`keys do not open the list of ${name}`);
    return;
  }
  await page.keyboard.press('Escape');
  // A menu gives the focus back a moment after it closes.
  const isBack = async () => !(await isOpen()) && (await focused(page)).id === id;
  if (!(await comes('the list closes', isBack)))
    faults.push(`Escape in ${name} does more than closing its list`);
}
