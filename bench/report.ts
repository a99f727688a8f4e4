/** Prints the figures of a run next to their targets. */
import type { Results } from './sections.ts';

interface Row {
  readonly what: string;
  readonly measured: string | number | undefined;
  readonly target: string;
}

export function report(results: Results): void {
  const rows = [
    ...callRows(results),
    ...blockRows(results),
    ...simulationRows(results),
    ...cancelRows(results),
    ...stallRows(results),
    ...escalationRows(results),
    ...senderRows(results),
    ...agentRows(results),
    ...webRows(results),
  ];
  console.table(rows.filter((row) => row.measured !== undefined));
}

function callRows({ access, decision, parked }: Results): Row[] {
  return [
    ...Object.entries(access?.kinds ?? {}).map(([kind, { added, ratio }]) => ({
      what: `authentication and authorization of ${kind}, p50 added (ms) · ÷ a call without`,
      measured: `${added} · ${ratio}`,
      target: '< 1',
    })),
    { what: 'one round trip to Postgres, p50 (ms)', measured: access?.roundTrip, target: '' },
    { what: 'decision p50 at 1 caller (ms)', measured: decision?.p50, target: '≤ 6' },
    {
      what: 'decision sent → parked wait returned, p50 (ms)',
      measured: parked?.decisionToWait.p50,
      target: '≤ 8',
    },
    {
      what: 'decision sent → parked wait returned, p99 (ms)',
      measured: parked?.decisionToWait.p99,
      target: '≤ 50',
    },
    {
      what: `one of ${parked?.waits ?? 0} parked waits (KB)`,
      measured: parked?.kilobytesPerWait,
      target: '< 30',
    },
    {
      what: 'idle CPU while parked (share of a core)',
      measured: parked?.idleCpu,
      target: '< 0.25',
    },
    {
      what: 'database connections before · while parked',
      measured: parked && `${parked.connectionsBefore} · ${parked.connectionsParked}`,
      target: 'no more',
    },
  ];
}

function simulationRows({ simulate }: Results): Row[] {
  return Object.entries(simulate?.simulations ?? {}).flatMap(([name, { seconds, reads }]) => [
    {
      what: `${simulate?.requests ?? 0} requests simulated with ${name} (s)`,
      measured: seconds,
      target: '< 10',
    },
    ...Object.entries(reads).map(([read, { p95 }]) => ({
      what: `reading ${read} meanwhile · at a quiet time, p95 (ms)`,
      measured: `${p95} · ${simulate?.quiet[read]?.p95 ?? ''}`,
      target: '< 50',
    })),
  ]);
}

function blockRows({ blocks }: Results): Row[] {
  return [
    {
      what: 'ten more pure blocks, p50 ÷ one block',
      measured: blocks?.elevenRatio,
      target: '< 1.05',
    },
    { what: '1,000 nested blocks, p50 added (ms)', measured: blocks?.nestedAdded, target: '< 20' },
    {
      what: 'a webhook that takes 100 ms, p50 beyond it ÷ a create by a rule',
      measured: blocks?.askingRatio,
      target: '≤ 2.4',
    },
    {
      what: `${blocks?.hanging.waiting ?? 0} requests at a hanging webhook, p50 of others ÷ without`,
      measured: blocks?.hanging.ratio,
      target: '≤ 1.2',
    },
  ];
}

function cancelRows({ cancels }: Results): Row[] {
  return [
    {
      what: `${cancels?.cancels ?? 0} cancels: answered · workflows ended within (s)`,
      measured: cancels && `${cancels.cancelledWithin} · ${cancels.endedWithin}`,
      target: '',
    },
    ...(['before', 'during', 'after'] as const).map((when) => ({
      what: `create by a rule ${when} the burst of cancels, p50 · p95 (ms)`,
      measured: cancels && `${cancels[when].p50} · ${cancels[when].p95}`,
      target: when === 'after' ? 'p95 < 100' : '',
    })),
  ];
}

function stallRows({ stall }: Results): Row[] {
  return Object.entries(stall ?? {}).map(([body, { answers, p99, max, held }]) => ({
    what: `beside ${body} (${answers}): light caller p99 · max, event loop held (ms)`,
    measured: `${p99} · ${max}, ${held}`,
    target: 'held < 50',
  }));
}

function senderRows({ senders }: Results): Row[] {
  return [
    ...Object.entries(senders?.kinds ?? {}).flatMap(
      ([kind, { perSecond, twice, cpu, lightCall }]) => [
        {
          what: `${kind}: messages a second · twice`,
          measured: `${perSecond} · ${twice}`,
          target: '≥ 500 · 0',
        },
        {
          what: `${kind}: CPU of service · Postgres (ms a message), light call meanwhile p95 (ms)`,
          measured: `${cpu.service} · ${cpu.postgres}, ${lightCall.p95}`,
          target: 'p95 < 100',
        },
      ],
    ),
    {
      what: 'new request answered → its webhook received, p50 · p95 (ms)',
      measured: senders && `${senders.quiet.p50} · ${senders.quiet.p95}`,
      target: '',
    },
  ];
}

function escalationRows({ events, walk, burst, queue, fullTable }: Results): Row[] {
  return [
    { what: 'history events, automatic', measured: events?.automatic, target: '6' },
    { what: 'history events, one person', measured: events?.person, target: '≤ 15' },
    {
      what: 'steps of escalation walked a second, one core',
      measured: walk?.perSecond,
      target: '≥ 100,000',
    },
    {
      what: 'a level at a quiet time, late by at most (ms)',
      measured: burst?.quiet.max,
      target: '≤ 1,000',
    },
    {
      what: `${burst?.requests ?? 0} levels due at one instant: all notified · messages received within (s)`,
      measured: burst && `${burst.notified.max} · ${burst.received.max}`,
      target: '≤ 120',
    },
    { what: 'of these, notified or received twice', measured: burst?.twice, target: '0' },
    { what: 'decisions meanwhile, p95 (ms)', measured: burst?.decisions.p95, target: '< 100' },
    ...Object.entries(queue?.lists ?? {}).map(([list, { p50, p95 }]) => ({
      what: `queue of ${list}, p50 · p95 (ms)`,
      measured: `${p50} · ${p95}`,
      target: 'p95 < 50',
    })),
    { what: 'create with 10,000 pending ÷ empty', measured: fullTable?.ratio, target: '≤ 1.2' },
  ];
}

function agentRows({ agents }: Results): Row[] {
  if (!agents) return [];
  const { creates, ...meanwhile } = agents.whileCreating;
  return [
    ...Object.entries(agents.alone).map(([page, { p50, p95 }]) => ({
      what: `${page}, p50 · p95 (ms), and p95 while ${creates} requests are created`,
      measured: `${p50} · ${p95} · ${(meanwhile as typeof agents.alone)[page]?.p95 ?? ''}`,
      target: 'p95 < 50',
    })),
    {
      what: 'create by a rule with two million requests ÷ before, p50',
      measured: agents.create.ratio,
      target: '',
    },
    {
      what: 'counting two million requests once · what is new (ms)',
      measured: `${agents.count.first} · ${agents.count.later}`,
      target: '',
    },
  ];
}

function webRows({ web }: Results): Row[] {
  if (!web) return [];
  const { loads, large, elsewhere, rows, scroll } = web;
  const { bare, ...screens } = loads;
  return [
    { what: 'largest paint of a bare React page, p50 (ms)', measured: bare?.p50, target: '' },
    ...Object.entries(screens).map(([screen, { p50, ratio }]) => ({
      what: `largest paint of ${screen}, p50 (ms) · ÷ the bare page`,
      measured: `${p50} · ${ratio}`,
      target: screen === 'login' ? '≤ 2.2' : '≤ 2.6',
    })),
    {
      what: `${large.values} values: one can approve, p50 · worst (ms) · ÷ the naive page`,
      measured: `${large.p50} · ${large.max} · ${large.ratio}`,
      target: '≤ 1,000',
    },
    {
      what: 'the same from the click on its row, p50 · worst (ms)',
      measured: `${large.row.p50} · ${large.row.max}`,
      target: '≤ 1,000',
    },
    {
      what: 'decided elsewhere → gone from the list, p50 · worst (ms)',
      measured: `${elsewhere.p50} · ${elsewhere.max}`,
      target: '≤ 1,000',
    },
    {
      what: `queue of ${rows}, scrolled to ${scroll.reached}: row elements, at most`,
      measured: scroll.mostRows,
      target: '≤ 60',
    },
    {
      what: `its frames, p50 · p95 (ms) · share over two frames`,
      measured: `${scroll.frame.p50} · ${scroll.frame.p95} · ${scroll.dropped}`,
      target: 'p50 ≤ 17',
    },
  ];
}
