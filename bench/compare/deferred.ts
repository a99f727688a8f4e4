/** An agent whose requests wait for one instant, at which the first level of each is due. */
import { randomUUID } from 'node:crypto';
import { addAgent, expectStatus, type Parties, type Send } from '../frame/service.ts';

const MINUTE_MS = 60_000;
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

/** Its path begins with a wait for working hours, which start with a whole minute. */
export async function addDeferredAgent(
  { owner, membershipId }: Parties,
  url: string,
  { notBefore }: { readonly notBefore: number },
): Promise<{ readonly adapter: Send; readonly due: Date }> {
  const due = Math.ceil(notBefore / MINUTE_MS) * MINUTE_MS;
  const key = `deferred-${randomUUID().slice(0, 8)}`;
  const intervals = [{ weekdays: WEEKDAYS, start: clock(due), end: clock(due + 120 * MINUTE_MS) }];
  const document = {
    path_key: key,
    name: 'Deferred',
    working_hours: [{ id: 'hours', name: 'Hours', timezone: 'UTC', intervals }],
    nodes: [
      { id: randomUUID(), type: 'defer', working_hours_id: 'hours', standard_only: false },
      {
        id: randomUUID(),
        type: 'level',
        targets: [{ type: 'user', id: membershipId }],
        escalate_after: '24h',
        raise_urgency: false,
      },
    ],
  };
  const path = '/api/v1/escalation-paths';
  await expectStatus(201, owner(`POST ${path}`, document));
  await expectStatus(
    200,
    owner(`POST ${path}/${key}/revisions/1/activate`, undefined, { 'if-match': '"0"' }),
  );
  const pipeline = { blocks: [], default_escalation_path: key };
  const adapter = await addAgent(owner, url, { slug: key, pipeline });
  return { adapter, due: new Date(due) };
}
