/**
 * The two mounts of the adapter protocol. Their operations are declared once, for each mount. What
 * differs is data: these, and the schemas next to each operation.
 */
import type { Dialect } from '../http/problems/dialects.ts';
import type { Endpoint } from '../http/endpoint.ts';

/** `ours`: with additions of this service. `standard`: AAP 1.0.0 to the letter. */
export type MountName = 'ours' | 'standard';

export interface Mount {
  readonly name: MountName;
  /** The path of an operation, which starts with `/v1`. */
  readonly path: (path: `/v1/${string}`) => string;
  readonly operationId: (name: string) => string;
  readonly tag: string;
  readonly dialect: Dialect;
}

const ours: Mount = {
  name: 'ours',
  path: (path) => `/api/aap${path}`,
  operationId: (name) => name,
  tag: 'Adapter protocol',
  dialect: 'product',
};

const standard: Mount = {
  name: 'standard',
  path: (path) => `/aap${path}`,
  operationId: (name) => `aap${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  tag: 'AAP 1.0.0',
  dialect: 'aap',
};

/** The operations on both mounts. */
export function onBothMounts(declare: (mount: Mount) => readonly Endpoint[]): readonly Endpoint[] {
  return [...declare(ours), ...declare(standard)];
}
