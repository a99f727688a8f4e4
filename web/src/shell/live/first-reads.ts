/** What the first screen reads, begun while its code still loads. The call that would have asked takes the answer. */
import { listQueryOf, readSearch } from '../../areas/requests/queue/queue-search.ts';

/** Milliseconds since the page began to load. Later calls ask by themselves. */
const FRESH_MS = 10_000;

interface FirstRead {
  readonly answer: Promise<Response>;
  /** In milliseconds of the tab's clock. */
  readonly sentAt: number;
}

const reads = new Map<string, FirstRead>();

const nameOf = (url: string): string => {
  const { pathname, searchParams } = new URL(url, 'https://this.example');
  searchParams.sort();
  return `${pathname}?${searchParams}`;
};

async function begin(url: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const answer = fetch(url, { headers });
  reads.set(nameOf(url), { answer, sentAt: performance.now() });
  const { ok } = await answer;
  // Without a session or a permission the page asks for other things.
  if (!ok) reads.clear();
}

async function beginRequests(id: string | undefined, search: string): Promise<void> {
  // As `firstChanges` asks. Lists and requests are read after it, so that no change falls between.
  await begin('/api/v1/requests/changes?scope=visible', { 'Service-Background': '1' });
  // Refused, or the page was quicker and asks by itself.
  if (reads.size === 0) return;
  const list = new URLSearchParams(search);
  const query = Object.entries(listQueryOf(readSearch(Object.fromEntries(list))));
  const texts = query.map(([name, value]) => [name, String(value)] as const);
  const all = [begin(`/api/v1/requests?${new URLSearchParams(Object.fromEntries(texts))}`)];
  if (id !== undefined) all.unshift(begin(`/api/v1/requests/${id}`));
  await Promise.all(all);
}

/** On a page of requests. Elsewhere nothing is read ahead. */
export function beginFirstReads({ pathname, search }: { pathname: string; search: string }): void {
  const page = /^\/(?:requests\/(?<id>[\w-]+))?$/.exec(pathname);
  if (!page) return;
  // A call that failed is sent again by the query that needs it.
  for (const read of [begin('/api/v1/me'), beginRequests(page.groups?.['id'], search)])
    read.catch(() => undefined);
}

/** All calls of the API come through here. The first of a kind takes the answer that was asked for before. */
export async function send(
  request: Request,
): Promise<{ readonly response: Response; readonly sentAt: number }> {
  const sentAt = performance.now();
  if (request.method === 'GET') {
    const name = nameOf(request.url);
    const first = reads.get(name);
    reads.delete(name);
    if (first && sentAt < FRESH_MS) return { response: await first.answer, sentAt: first.sentAt };
  }
  return { response: await fetch(request), sentAt };
}
