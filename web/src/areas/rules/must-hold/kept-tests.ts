/** Tests that must hold, as this browser keeps them: which request, and what must become of it. */
import { keepBeside, readBeside } from '../../../shared/browser/drafts.ts';
import type { Sample } from '../outcomes/trial.ts';
import { mustHold as text } from './text.ts';

export const EXPECTED = ['approve', 'deny', 'human'] as const;
export type Expected = (typeof EXPECTED)[number];

/** Of a request that exists only its id is kept: its values may be secret. */
export interface KeptTest {
  readonly key: string;
  readonly expected: Expected;
  readonly tool: string;
  readonly request?: string;
  readonly written?: {
    readonly server: string;
    /** JSON. */
    readonly arguments: string;
    readonly agent: string;
  };
}

export const MOST_TESTS = 20;

export const nameOfTest = ({ tool, expected }: KeptTest): string =>
  text.is(tool, text.outcomes[expected]);

export function testOf(sample: Sample, expected: Expected): KeptTest {
  const { id, tool, server, agent } = sample;
  const common = { key: crypto.randomUUID(), expected, tool };
  if (id !== undefined) return { ...common, request: id };
  return { ...common, written: { server, arguments: sample.arguments, agent } };
}

export interface Owned {
  readonly owner: string;
  readonly document: string;
}

const PART = 'tests';

export function readTests({ owner, document }: Owned): readonly KeptTest[] {
  try {
    // eslint-disable-next-line no-restricted-syntax -- Arguments in it are texts.
    const kept = JSON.parse(readBeside(owner, document, PART) ?? '[]') as unknown;
    return Array.isArray(kept) ? (kept as readonly KeptTest[]).slice(0, MOST_TESTS) : [];
  } catch {
    return [];
  }
}

/** False where the browser has no room. */
export const keepTests = (of: Owned, tests: readonly KeptTest[]): boolean =>
  keepBeside({ ...of, part: PART }, JSON.stringify(tests));
