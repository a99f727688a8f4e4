/**
 * Prints a comparison as the tables of `docs/benchmarks.md`: of each figure the median of all
 * rounds, and in brackets its range.
 */
import { median, round } from '../frame/load.ts';
import type { Extent, Sample } from './system.ts';

/** Cells by the names of their columns. */
type Row = Readonly<Record<string, string>>;

export function printComparison(samples: readonly Sample[], { rounds, seconds }: Extent): void {
  const systems = [...new Set(samples.map(({ system }) => system))];
  const of = (system: string, callers: number) =>
    samples.filter((sample) => sample.system === system && sample.callers === callers);
  const first = systems[0] ?? '';
  console.log(`\nWhole approvals in ${rounds} rounds of ${seconds} s. Ratios are to ${first}.\n`);
  printTable(
    systems.map((system) => {
      const [one, many] = [of(system, 1), of(system, 16)];
      return {
        system,
        'p50, 1 caller (ms)': spread(one.map(({ p50 }) => p50)),
        'a second, 1 caller': spread(one.map(({ perSecond }) => perSecond)),
        'a second, 16 callers': spread(many.map(({ perSecond }) => perSecond)),
        'ratio, 1 caller': spread(ratios(one, of(first, 1))),
        'ratio, 16 callers': spread(ratios(many, of(first, 16))),
      };
    }),
  );
  console.log('\nMilliseconds of processor time per whole approval, medians:\n');
  printTable(
    systems.map((system) => ({
      system,
      '1 caller': total(of(system, 1)),
      '16 callers': total(of(system, 16)),
      'of these': parts(of(system, 16)),
    })),
  );
}

function printTable(rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => Object.values(row))];
  for (const cells of lines) console.log(`| ${cells.join(' | ')} |`);
}

function spread(values: readonly number[]): string {
  const range = [Math.min(...values), Math.max(...values)].map(figure);
  return `${figure(median(values))} (${range.join('–')})`;
}

/** Of each round: how many times as many approvals a second. */
function ratios(samples: readonly Sample[], base: readonly Sample[]): number[] {
  return samples.map(({ perSecond }, at) => round(perSecond / (base[at]?.perSecond ?? NaN)));
}

function total(samples: readonly Sample[]): string {
  const totals = samples.map(({ cpu }) => Object.values(cpu).reduce((sum, part) => sum + part, 0));
  return figure(median(totals));
}

function parts(samples: readonly Sample[]): string {
  return Object.keys(samples[0]?.cpu ?? {})
    .map((name) => `${name} ${figure(median(samples.map(({ cpu }) => cpu[name] ?? NaN)))}`)
    .join(', ');
}

/** Two digits are all that a busy machine gives. */
function figure(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}
