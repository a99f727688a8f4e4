/**
 * The output of the demo: numbered steps with times, checks, and a countdown; and the checks that
 * failed.
 */
import { OperatorError } from '../src/platform/operator-error.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** The demo cannot continue. The message is for the person at the terminal. */
export class DemoStopped extends OperatorError {
  override readonly name = 'DemoStopped';
}

export interface Stage {
  /** Begins the next step. */
  step(title: string): void;
  say(line: string): void;
  /** Compares by value. Shows what was found, and remembers a difference. */
  check(what: string, found: unknown, expected: unknown): void;
  /**
   * Shows the seconds left until `until` resolves: one line on a terminal, elsewhere an occasional
   * line.
   */
  countdown<T>(what: string, ms: number, until: Promise<T>): Promise<T>;
  /** Ends a countdown that is still shown when the demo stops. */
  stopCounting(): void;
  /** The differences so far. */
  readonly differences: readonly string[];
  readonly steps: number;
  /** Milliseconds since the start. */
  elapsedMs(): number;
}

export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const QUIET_EVERY_MS = 15_000;
const MARGIN = ' '.repeat(11);

export function openStage(
  out: Terminal,
  colour = out.isTTY === true && !process.env['NO_COLOR'],
): Stage {
  const began = performance.now();
  const differences: string[] = [];
  let steps = 0;
  let counting = false;
  let stopped = false;
  const paint = (code: number, text: string): string =>
    colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  const print = (line: string): void => {
    if (counting) out.write('\r\x1b[K');
    out.write(`${line}\n`);
  };
  const stage: Stage = {
    step: (title) => {
      steps += 1;
      print(
        `\n${`[${inSeconds(stage.elapsedMs())}]`.padStart(MARGIN.length - 1)} ${paint(1, `${steps}. ${title}`)}`,
      );
    },
    say: (line) => {
      print(line === '' ? '' : line.replaceAll(/^/gm, MARGIN));
    },
    check: (what, found, expected) => {
      const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
      if (is === should) return stage.say(`${paint(32, '✓')} ${what}`);
      stage.say(`${paint(31, '✗')} ${what}: expected ${should}, came out as ${is}`);
      differences.push(`step ${steps}, ${what}: expected ${should}, came out as ${is}`);
    },
    countdown: async (what, ms, until) => {
      const end = performance.now() + ms;
      const done = until.then(
        () => true,
        () => true,
      );
      counting = out.isTTY === true;
      const every = counting ? 1_000 : QUIET_EVERY_MS;
      do {
        const line = `${MARGIN}${paint(2, `… ${Math.max(0, Math.round((end - performance.now()) / 1_000))} s until ${what}`)}`;
        out.write(counting ? `\r\x1b[K${line}` : `${line}\n`);
      } while (!(await Promise.race([done, delay(every, false, { ref: false })])) && !stopped);
      if (counting && !stopped) out.write('\r\x1b[K');
      counting = false;
      return until;
    },
    stopCounting: () => {
      if (counting) out.write('\r\x1b[K');
      stopped = true;
      counting = false;
    },
    differences,
    get steps() {
      return steps;
    },
    elapsedMs: () => performance.now() - began,
  };
  return stage;
}

export function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

export function inMs(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
