/** Prints a comparison: of each figure the median of all rounds, and in brackets its range. */
import { median, round } from '../load.ts';
import { peerVersions } from './packages.ts';
import type { Extent, Sample } from './system.ts';

export function printComparison(samples: readonly Sample[], { rounds, seconds }: Extent): void {
  const systems = [...new Set(samples.map(({ system }) => system))];
  const of = (system: string, callers: number) =>
    samples.filter((sample) => sample.system === system && sample.callers === callers);
  const first = systems[0] ?? '';
  const rows = systems.map((system) => {
    const [one, many] = [of(system, 1), of(system, 16)];
    return {
      system,
      'p50 (ms), 1 caller': spread(one.map(({ p50 }) => p50)),
      'a second, 1 caller': spread(one.map(({ perSecond }) => perSecond)),
      'a second, 16 callers': spread(many.map(({ perSecond }) => perSecond)),
      [`÷ ${first}, 1 caller`]: spread(ratios(one, of(first, 1))),
      [`÷ ${first}, 16 callers`]: spread(ratios(many, of(first, 16))),
    };
  });
  console.log(`Whole approvals: medians and ranges of ${rounds} rounds of ${seconds} s`);
  console.table(rows);
  console.log('Milliseconds of processor time per whole approval: medians');
  console.table(
    systems.map((system) => ({
      system,
      '1 caller': total(of(system, 1)),
      '16 callers': total(of(system, 16)),
      'of these': Object.entries(medianCpu(of(system, 16)))
        .map(([name, milliseconds]) => `${name} ${milliseconds}`)
        .join(', '),
    })),
  );
  console.log(`Versions: ${JSON.stringify(peerVersions())}, Node ${process.version}`);
}

function spread(values: readonly number[]): string {
  return `${median(values)} (${Math.min(...values)}–${Math.max(...values)})`;
}

/** Of each round: how many times as many approvals a second. */
function ratios(samples: readonly Sample[], base: readonly Sample[]): number[] {
  return samples.map(({ perSecond }, at) => round(perSecond / (base[at]?.perSecond ?? NaN)));
}

function total(samples: readonly Sample[]): number {
  return median(samples.map(({ cpu }) => Object.values(cpu).reduce((sum, part) => sum + part, 0)));
}

function medianCpu(samples: readonly Sample[]): Record<string, number> {
  const names = Object.keys(samples[0]?.cpu ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map(({ cpu }) => cpu[name] ?? NaN))]),
  );
}
