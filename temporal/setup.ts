/**
 * Prepares a Temporal server: the namespace and the five search attributes. Safe to run at any
 * time, from any process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { ATTRIBUTE } from '../src/domain/requests/workflow-contract.ts';
import { within } from './deadline.ts';

/** Shown and searchable in the Temporal UI; all of type Keyword. */
export const SEARCH_ATTRIBUTES: readonly string[] = Object.values(ATTRIBUTE);

const RETENTION_SECONDS = 24 * 60 * 60;
/** A server that does not refresh on read learns of new attributes within a minute. */
const USABLE_WITHIN_MS = 120_000;
const CALL_TIMEOUT_MS = 10_000;

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
const GRPC_ALREADY_EXISTS = 6;
/** PermissionDenied, Unimplemented, Unauthenticated. */
const GRPC_REFUSED = [7, 12, 16];
/** INDEXED_VALUE_TYPE_KEYWORD of Temporal's API; its package of enums cannot be imported by name from an ES module. */
const KEYWORD = 2;

/** The parts of a connection that setup needs. Both the client's and the worker's have them. */
export type SetupConnection = Pick<Connection, 'workflowService' | 'operatorService'>;

/** What `setupTemporal` found and did. */
export interface Prepared {
  /** Something was missing and is registered now: the server is new, or has lost its database. */
  readonly isNew: boolean;
  /** Attributes that the namespace has no room for. Workflows continue without them. */
  readonly lacking: readonly string[];
}

/** The server refuses what is missing. The message says what an operator of Temporal must do. */
export class SetupRefused extends Error {}

export interface SetupOptions {
  /** Defaults to two minutes, which covers the attribute cache of a server we do not configure. */
  readonly usableWithinMs?: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Registers what is missing, and resolves once workflows with the attributes can be started and found. When nothing is missing
 * it registers nothing, so it works on a server that refuses registration. A namespace holds a limited number of attributes of a
 * type, so those without room are left out.
 */
export async function setupTemporal(
  connection: SetupConnection,
  namespace: string,
  options: SetupOptions = {},
): Promise<Prepared> {
  let [isNew, lacking]: [boolean, readonly string[]] = [false, []];
  const deadline = performance.now() + (options.usableWithinMs ?? USABLE_WITHIN_MS);
  for (;;) {
    const wanted = SEARCH_ATTRIBUTES.filter((name) => !lacking.includes(name));
    const missing = await whatIsMissing(connection, { namespace, wanted });
    if (missing === undefined) return { isNew, lacking };
    try {
      if (missing === 'namespace') await registerNamespace(connection, namespace);
      const { added, refused } = await addMissingAttributes(connection, namespace);
      isNew ||= missing === 'namespace' || added;
      lacking = refused;
    } catch (error) {
      // A new namespace is unknown to the server's caches for a moment.
      if (isPermanent(error) || performance.now() >= deadline) throw error;
    }
    if (performance.now() >= deadline)
      throw new Error(
        `Temporal does not know namespace ${namespace} and its search attributes yet.`,
      );
    await delay(100, undefined, { signal: options.signal });
  }
}

async function registerNamespace(connection: SetupConnection, namespace: string): Promise<void> {
  try {
    await within(
      CALL_TIMEOUT_MS,
      connection.workflowService.registerNamespace({
        namespace,
        description: 'Countersign: one workflow for each approval request.',
        workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
      }),
    );
  } catch (error) {
    if (isRefused(error)) {
      throw new SetupRefused(
        `Temporal refuses to register namespace ${namespace} (${error.details}). Create it with a retention of at least a day, or set TEMPORAL_NAMESPACE.`,
      );
    }
    if (!isGrpcServiceError(error) || error.code !== GRPC_ALREADY_EXISTS) throw error;
  }
}

interface Added {
  readonly added: boolean;
  readonly refused: readonly string[];
}

async function addMissingAttributes(
  connection: SetupConnection,
  namespace: string,
): Promise<Added> {
  try {
    const { customAttributes } = await within(
      CALL_TIMEOUT_MS,
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    const missing = SEARCH_ATTRIBUTES.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return { added: false, refused: [] };
    if (await addAttributes(connection, namespace, missing)) return { added: true, refused: [] };
    // There is no room for all. Each of those that fit is worth having.
    const refused: string[] = [];
    for (const name of missing)
      if (!(await addAttributes(connection, namespace, [name]))) refused.push(name);
    return { added: refused.length < missing.length, refused };
  } catch (error) {
    if (isRefused(error)) {
      throw new SetupRefused(
        `Temporal refuses to add search attributes to namespace ${namespace} (${error.details}). Add these to it, all of type Keyword: ${SEARCH_ATTRIBUTES.join(', ')}.`,
      );
    }
    throw error;
  }
}

/** False when the namespace has no room for them. */
async function addAttributes(
  connection: SetupConnection,
  namespace: string,
  names: readonly string[],
): Promise<boolean> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
  try {
    await within(
      CALL_TIMEOUT_MS,
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
    return true;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if (error.code === GRPC_ALREADY_EXISTS) return true;
    if (error.code === GRPC_INVALID_ARGUMENT) return false;
    throw error;
  }
}

/** A retry would be refused, too. */
const isPermanent = (error: unknown): boolean =>
  error instanceof SetupRefused ||
  isRefused(error) ||
  (isGrpcServiceError(error) && error.code === GRPC_INVALID_ARGUMENT);

function isRefused(error: unknown): error is Error & { readonly details: string } {
  return isGrpcServiceError(error) && GRPC_REFUSED.includes(Number(error.code));
}

/** The server does not know the namespace (NotFound), or one of the attributes (InvalidArgument). */
async function whatIsMissing(
  connection: SetupConnection,
  { namespace, wanted }: { readonly namespace: string; readonly wanted: readonly string[] },
): Promise<'namespace' | 'attributes' | undefined> {
  const query = wanted.map((name) => `${name} = 'none'`).join(' and ');
  try {
    await within(
      CALL_TIMEOUT_MS,
      connection.workflowService.countWorkflowExecutions({ namespace, query }),
    );
    return undefined;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if (error.code === GRPC_NOT_FOUND) return 'namespace';
    if (error.code === GRPC_INVALID_ARGUMENT) return 'attributes';
    throw error;
  }
}
