/** The way from a problem of a document to its field on the page. */

/** Gives the focus to the field of a value, or to the nearest part of the page around it. */
export function focusPointer(pointer: string): void {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const element = document.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(at)}"]`);
    if (element) {
      const field = element.matches(FIELDS) ? element : element.querySelector<HTMLElement>(FIELDS);
      (field ?? element).focus();
      element.scrollIntoView({ block: 'center' });
      return;
    }
    if (!at.includes('/')) return;
  }
}

const FIELDS = 'input, textarea, select, button, a[href], [tabindex]';
