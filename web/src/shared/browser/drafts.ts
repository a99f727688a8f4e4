/**
 * Documents that someone edits, as this browser keeps them: over a reload, a sign-in and a crash. They are named by the
 * person, whose id is another one in each organization. They are deleted when the person signs out, and never hold secrets.
 */
const PREFIX = 'draft:';
const nameOf = (owner: string, document: string): string => `${PREFIX}${owner}:${document}`;

export interface Draft {
  readonly text: string;
  /** What it began from. */
  readonly base: { readonly revision: number; readonly text: string };
  readonly saved?: { readonly revision: number; readonly text: string };
  /** RFC 3339. */
  readonly changedAt: string;
}

export function readDraft(owner: string, document: string): Draft | undefined {
  const kept = localStorage.getItem(nameOf(owner, document));
  if (kept === null) return undefined;
  try {
    // eslint-disable-next-line no-restricted-syntax -- Documents in it are texts.
    return JSON.parse(kept) as Draft;
  } catch {
    return undefined;
  }
}

/** False where the browser has no room for it. */
export function keepDraft(owner: string, document: string, draft: Draft): boolean {
  try {
    localStorage.setItem(nameOf(owner, document), JSON.stringify(draft));
    return true;
  } catch {
    localStorage.removeItem(nameOf(owner, document));
    return false;
  }
}

export function removeDraft(owner: string, document: string): void {
  localStorage.removeItem(nameOf(owner, document));
}

/** A further text next to a document, such as its tests. It stays when the draft of the document goes. */
export const readBeside = (owner: string, document: string, part: string): string | null =>
  localStorage.getItem(`${nameOf(owner, document)}#${part}`);

/** False where the browser has no room for it. */
export function keepBeside(
  {
    owner,
    document,
    part,
  }: { readonly owner: string; readonly document: string; readonly part: string },
  text: string,
): boolean {
  try {
    localStorage.setItem(`${nameOf(owner, document)}#${part}`, text);
    return true;
  } catch {
    return false;
  }
}

/** Without `owner`, of everyone. */
export function removeDrafts({ except }: { readonly except?: string } = {}): void {
  for (const name of Object.keys(localStorage))
    if (
      name.startsWith(PREFIX) &&
      (except === undefined || !name.startsWith(`${PREFIX}${except}:`))
    )
      localStorage.removeItem(name);
}
