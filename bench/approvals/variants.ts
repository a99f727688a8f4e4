/** The ways to run Countersign that a comparison of whole approvals can measure. */

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
}

export interface VariantOptions {
  readonly apart: boolean;
  readonly beside?: string | undefined;
  readonly node?: string | undefined;
  readonly temporal?: string | undefined;
}

/** The first is what ratios are to. */
export function variants({ apart, beside, node, temporal }: VariantOptions): Variant[] {
  return [
    { name: 'Countersign', key: 'countersign' },
    {
      name: 'Countersign, rules at the door',
      key: 'countersign-door',
      environment: { COUNTERSIGN_RULES: 'door' },
    },
    ...(apart
      ? [{ name: 'Countersign, API and worker apart', key: 'countersign-apart', apart }]
      : []),
    ...(beside === undefined
      ? []
      : [{ name: `Countersign of ${beside}`, key: 'countersign-beside', build: beside }]),
    ...(node === undefined
      ? []
      : [{ name: `Countersign on ${node}`, key: 'countersign-node', node }]),
    ...(temporal === undefined
      ? []
      : [
          {
            name: `Countersign with Temporal at ${temporal}`,
            key: 'countersign-temporal',
            temporalAddress: temporal,
          },
        ]),
  ];
}
