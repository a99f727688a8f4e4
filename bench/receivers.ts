/** How soon a receiver hears of a decision, and what creates and decisions cost with one, in turn with those without. */
import { startAapReceiver } from '../test/support/servers/aap-receiver.ts';
import { median, percentiles, round } from './frame/load.ts';
import type { Section } from './frame/section.ts';
import { ask, bearer, decide, sender } from './frame/service.ts';

export const measureReceivers: Section = async ({ parties, service: { url }, countOf }) => {
  const [receiver, delays] = [await startAapReceiver(), [] as number[]];
  receiver.respondToEvents((response, { body }) => {
    delays.push(Date.now() - Date.parse((JSON.parse(body) as { created_at: string }).created_at));
    response.end();
  });
  const { body } = await parties.owner('POST /api/v1/agents/bench-agent/provisioners');
  const fleet = sender(url, { ...bearer(String(body['token'])), 'idempotency-key': 'bench' });
  const made = await fleet('POST /aap/v1/instances', { delivery: receiver.delivery() });
  const told = sender(url, bearer((made.body['credential'] as { token: string }).token));
  const times: Record<string, number[]> = {};
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    (times[what] ??= []).push(performance.now() - began);
  };
  const sides = Object.entries({ without: parties.adapter, told });
  for (let left = countOf(500); left > 0; left -= 1)
    for (const [whose, by] of left % 2 === 0 ? sides : sides.toReversed()) {
      await timed(`create ${whose}`, () => ask(by, 'fast'));
      const { id } = await ask(by, 'slow');
      await timed(`decision ${whose}`, () => decide(parties.owner, String(id)));
    }
  await receiver.close();
  const p50 = (what: string) => median(times[what] ?? []);
  const ratio = (what: string) => round(p50(`${what} told`) / p50(`${what} without`));
  const { p50: usual, p99 } = percentiles(delays);
  const ratios = `${ratio('create')} · ${ratio('decision')}`;
  return [
    { what: 'decision → receiver, p50 · p99 (ms)', measured: `${usual} · ${p99}`, target: '< 1 s' },
    { what: 'create · decision with a receiver ÷ without', measured: ratios, target: '≤ 1.03' },
  ];
};
