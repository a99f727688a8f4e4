/** The ways to run Countersign that a comparison of whole approvals measures. */
import { OperatorError } from '../../src/platform/operator-error.ts';

export interface Variant {
  readonly name: string;
  /** Also names its database, namespace and folder. */
  readonly key: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of a built package. This package by default. */
  readonly build?: string;
  /** The Node executable. The one that runs the benchmark by default. */
  readonly node?: string;
  /** API and worker as two processes. One by default. */
  readonly apart?: boolean;
  /** Of a Temporal server that runs. The run's own by default. */
  readonly temporalAddress?: string;
  /** Of all sessions of its database, for example `plan_cache_mode=force_custom_plan`. */
  readonly databaseSetting?: string;
}

/** Ratios are to this one. */
const USUAL: Variant = { name: 'Countersign', key: 'countersign' };

const KINDS: Readonly<Record<string, (value: string) => Omit<Variant, 'key'>>> = {
  door: () => ({
    name: 'Countersign, rules at the door',
    environment: { COUNTERSIGN_RULES: 'door' },
  }),
  apart: () => ({ name: 'Countersign, API and worker apart', apart: true }),
  build: (build) => ({ name: `Countersign of ${build}`, build }),
  node: (node) => ({ name: `Countersign on ${node}`, node }),
  temporal: (temporalAddress) => ({
    name: `Countersign with Temporal at ${temporalAddress}`,
    temporalAddress,
  }),
  postgres: (databaseSetting) => ({
    name: `Countersign with ${databaseSetting}`,
    databaseSetting,
  }),
};

/**
 * The usual way, and one for each of `beside`: `door`, `apart`, `build=<folder>`, `node=<file>`,
 * `temporal=<address>` or `postgres=<setting>=<value>`. Throws OperatorError for anything else.
 */
export function variantsOf(beside: readonly string[]): Variant[] {
  const others = beside.map((each, index) => {
    const [kind = '', ...value] = each.split('=');
    const variant = KINDS[kind]?.(value.join('='));
    if (!variant)
      throw new OperatorError(
        `--beside ${each} is not known. It takes one of ${Object.keys(KINDS).join(', ')}; the last four with a value, such as build=../old.`,
      );
    return { ...variant, key: `countersign-${index}` };
  });
  return [USUAL, ...others];
}
