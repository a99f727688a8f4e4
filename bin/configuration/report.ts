/** What plan, apply and export print: text for people, or one JSON object. */
import type { Applied } from './apply.ts';
import type { SimulationResult, TestResult } from './checks.ts';
import type { Exported } from './export.ts';
import type { FileFault } from './folder.ts';
import type { Change } from './plan.ts';

export interface Planned {
  readonly changes: readonly Change[];
  readonly left: readonly string[];
  readonly faults: readonly FileFault[];
  readonly tests: readonly TestResult[];
  readonly simulations: readonly SimulationResult[];
}

const SIGNS = { create: '+', change: '~', restore: '+', archive: '-' } as const;
const MOST_DIFFERENCES = 40;

/** Control characters and marks that reorder text would let a name pretend to be another line. */
export const visible = (text: string): string =>
  text.replace(
    /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

export const faultText = ({ file, line, column, message }: FileFault): string =>
  `${file}:${String(line)}:${String(column)}: ${message}`;

const shownValue = (before: string | undefined, after: string | undefined): string => {
  if (before === undefined) return after ?? '';
  return after === undefined ? `${before} → (absent)` : `${before} → ${after}`;
};

export function planText({ changes, left, faults, tests, simulations }: Planned): string {
  const failed = tests.filter(({ failure }) => failure);
  const lines = [
    ...faults.map(faultText),
    ...failed.flatMap(({ failure }) => (failure ? [faultText(failure)] : [])),
    ...changes.flatMap(changeLines),
    ...simulations.filter((one) => !one.faults).flatMap(simulationLines),
    ...(left.length > 0
      ? [
          'Not in the folder, and left as it is (--prune <name> archives it):',
          ...left.map((name) => `    ${name}`),
        ]
      : []),
    ...(tests.length > 0
      ? [`${String(tests.length - failed.length)} of ${String(tests.length)} tests of rules pass.`]
      : []),
    changes.length === 0 && faults.length === 0
      ? 'Nothing to do.'
      : `${String(changes.length)} to change.`,
  ];
  return lines.join('\n');
}

function changeLines({ action, name, differences }: Change): string[] {
  const shown = action === 'create' || action === 'archive' ? [] : differences;
  const more = shown.length - MOST_DIFFERENCES;
  return [
    `${SIGNS[action]} ${action} ${name}`,
    ...shown
      .slice(0, MOST_DIFFERENCES)
      .map(({ at, before, after }) => `    ${at}: ${shownValue(before, after)}`),
    ...(more > 0 ? [`    … and ${String(more)} more`] : []),
  ];
}

function simulationLines({
  pipeline,
  evaluated,
  changed,
  undetermined,
  ...of
}: SimulationResult): string[] {
  const counts = of.by_change.map(
    ({ was, would_be: would, count }) => `    ${String(count)}: ${was} → ${would}`,
  );
  return [
    `${pipeline}, on the requests of the last 7 days: ${String(changed)} of ${String(evaluated)} would have had another outcome.`,
    ...counts,
    ...of.examples.map(
      ({ id, tool, was, would_be: would }) => `    ${id} ${tool}: ${was} → ${would}`,
    ),
    ...(undetermined > 0
      ? [
          `    ${String(undetermined)} reach a block that asks another system, which a simulation does not.`,
        ]
      : []),
    ...(of.note === undefined ? [] : [`    ${of.note}`]),
  ];
}

export function planJson({ changes, ...rest }: Planned): object {
  return {
    changes: changes.map(({ action, kind, name, differences }) => ({
      action,
      kind,
      name,
      differences,
    })),
    left: rest.left,
    problems: rest.faults,
    tests: rest.tests,
    simulations: rest.simulations,
  };
}

export function appliedText({ done, notDone, stopped }: Applied): string {
  if (!stopped) return `Everything is as the folder says. Changes made: ${String(done.length)}.`;
  return [
    ...stopped.faults.map(faultText),
    `Stopped at ${stopped.name}: ${stopped.message}`,
    `Done: ${done.length === 0 ? 'nothing' : done.join(', ')}.`,
    `Not done: ${notDone.join(', ')}. Run it again once this is put right: what is done stays done.`,
  ].join('\n');
}

export const appliedJson = ({ done, notDone, stopped }: Applied): object => ({
  done,
  not_done: notDone,
  ...(stopped && {
    stopped: { name: stopped.name, message: stopped.message, problems: stopped.faults },
  }),
});

export function exportedText({ written, unchanged, kept, others }: Exported): string {
  return [
    ...written.map((file) => `Wrote ${file}`),
    ...kept.map((file) => `${file} differs and stays as it is: --force replaces it`),
    ...others.map((file) => `${file}: the service has no such document`),
    `${String(written.length)} written, ${String(unchanged.length)} unchanged.`,
  ].join('\n');
}
