/** Prints a comparison: of each figure the median of all rounds, and of each ratio its range, too. */
import { median, round } from '../frame/load.ts';
import type { Sample } from './system.ts';

export interface Comparison {
  readonly job: string;
  readonly system: string;
  /** Medians: milliseconds of a call, calls a second, and milliseconds of processor time. */
  readonly p50: number;
  readonly perSecond: number;
  readonly cpu: Readonly<Record<string, number>>;
  /** Of the first system to this one, round by round: median, least and most. */
  readonly ratio: {
    readonly p50: Spread;
    readonly cpu: Readonly<Record<string, Spread>>;
  };
}

type Spread = readonly [median: number, least: number, most: number];

export function summarize(samples: readonly Sample[]): Comparison[] {
  const jobs = [...new Set(samples.map(({ job }) => job))];
  return jobs.flatMap((job) => {
    const systems = [...new Set(samples.filter((each) => each.job === job).map((s) => s.system))];
    const of = (system: string | undefined) =>
      samples.filter((sample) => sample.job === job && sample.system === system);
    const first = of(systems[0]);
    return systems.map((system) => {
      const own = of(system);
      const spread = (value: (sample: Sample) => number | undefined): Spread => {
        const ratios = own.flatMap((sample, index) => {
          const base = first[index];
          return base ? [round((value(base) ?? NaN) / (value(sample) ?? NaN))] : [];
        });
        return [median(ratios), Math.min(...ratios), Math.max(...ratios)];
      };
      const processes = Object.keys(own[0]?.cpu ?? {});
      const shared = processes.filter((name) => first[0]?.cpu[name] !== undefined);
      return {
        ...{ job, system },
        p50: median(own.map(({ p50 }) => p50)),
        perSecond: median(own.map(({ perSecond }) => perSecond)),
        cpu: Object.fromEntries(
          processes.map((name) => [name, median(own.map(({ cpu }) => cpu[name] ?? NaN))]),
        ),
        ratio: {
          p50: spread(({ p50 }) => p50),
          cpu: Object.fromEntries(shared.map((name) => [name, spread(({ cpu }) => cpu[name])])),
        },
      };
    });
  });
}

/** As the tables of `docs/benchmarks.md`. */
export function printComparison(all: readonly Comparison[], rounds: number): void {
  const first = all[0]?.system ?? '';
  console.log(`\nMedians of ${rounds} rounds. Ratios are those of ${first} to the other.`);
  console.log('CPU: milliseconds of processor time for each call or level.\n');
  const columns = ['job', 'system', 'p50 (ms)', 'a second', 'CPU', 'ratio of p50', 'of CPU'];
  const rows = all.map(({ job, system, p50, perSecond, cpu, ratio }) => [
    ...[job, system, figure(p50), figure(perSecond), named(cpu, figure)],
    ...(system === first ? ['', ''] : [range(ratio.p50), named(ratio.cpu, range)]),
  ]);
  for (const cells of [columns, columns.map(() => '---'), ...rows])
    console.log(`| ${cells.join(' | ')} |`);
}

const range = ([middle, least, most]: Spread): string => `${middle} (${least}–${most})`;

function named<Value>(values: Readonly<Record<string, Value>>, print: (value: Value) => string) {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${print(value)}`)
    .join(', ');
}

/** Two digits are all that a busy machine gives. */
function figure(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}
