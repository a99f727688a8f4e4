/** What browsers and their extensions put into pages: scripts for `addInitScript`, which run before the page's own. */

export type Disturbance = keyof typeof DISTURBANCES;

/**
 * Every text becomes two nested `font` elements, again and again: as a translator does, but with the same words, so that tests
 * find them. `respects`: whether it leaves out what the page says not to translate.
 */
const translator = ({
  steps,
  respects,
}: {
  readonly steps: 'one' | 'two';
  readonly respects: boolean;
}): string => `(() => {
  const left = 'script, style, textarea, option, title, font${respects ? ', [translate=no]' : ''}';
  const turn = (text) => {
    const parent = text.parentElement;
    if (!parent || text.data.trim() === '' || parent.closest(left)) return;
    const font = document.createElement('font');
    font.append(document.createElement('font'));
    font.firstChild.append(text.data);
    if (${steps === 'one'}) parent.replaceChild(font, text);
    else {
      parent.insertBefore(font, text);
      parent.removeChild(text);
    }
    globalThis.translated = (globalThis.translated ?? 0) + 1;
  };
  const turnAll = (node) => {
    if (node instanceof Text) return turn(node);
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.forEach(turn);
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records)
      if (type === 'characterData') turn(target);
      else addedNodes.forEach(turnAll);
  }).observe(document, { childList: true, characterData: true, subtree: true });
})();`;

/** Elements next to each field that matches, as soon as it is there. */
const beside = (fields: string, act: string): string => `(() => {
  const seen = new WeakSet();
  const look = () => {
    for (const field of document.querySelectorAll('${fields}')) {
      if (seen.has(field)) continue;
      seen.add(field);
      const element = document.createElement('extension-element');
      element.attachShadow({ mode: 'open' }).append(document.createElement('span'));
      ${act}
      globalThis.inserted = (globalThis.inserted ?? 0) + 1;
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();`;

export const DISTURBANCES = {
  translator: translator({ steps: 'two', respects: true }),
  'translator that replaces texts at once': translator({ steps: 'one', respects: true }),
  'translator that leaves nothing out': translator({ steps: 'two', respects: false }),
  'password manager': beside(
    'input, textarea',
    `field.setAttribute('data-manager-filled', 'true');
     field.after(element);
     field.form?.prepend(element.cloneNode());
     document.documentElement.append(document.createElement('manager-root'));`,
  ),
  'grammar checker': beside(
    'textarea, input[type=search], input:not([type])',
    `field.setAttribute('data-gramm', 'true');
     field.setAttribute('spellcheck', 'false');
     field.before(element);
     field.parentElement.prepend(element.cloneNode());`,
  ),
} as const;
