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

/** The server refuses what is missing. The message says what an operator of Temporal must do. */
export class SetupRefused extends Error {}

export interface SetupOptions {
  /** Defaults to two minutes, which covers the attribute cache of a server we do not configure. */
  readonly usableWithinMs?: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Registers what is missing, and resolves once workflows with the attributes can be started and
 * found. When nothing is missing it registers nothing, so it works on a server that refuses
 * registration. True when something was missing: the server is new, or has lost its database.
 */
export async function setupTemporal(
  connection: SetupConnection,
  namespace: string,
  options: SetupOptions = {},
): Promise<boolean> {
  let isNew = false;
  const deadline = performance.now() + (options.usableWithinMs ?? USABLE_WITHIN_MS);
  for (;;) {
    const missing = await whatIsMissing(connection, namespace);
    if (missing === undefined) return isNew;
    isNew = true;
    try {
      if (missing === 'namespace') await registerNamespace(connection, namespace);
      await addMissingAttributes(connection, namespace);
    } catch (error) {
      // A new namespace is unknown to the server's caches for a moment.
      if (error instanceof SetupRefused || performance.now() >= deadline) throw error;
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

async function addMissingAttributes(connection: SetupConnection, namespace: string): Promise<void> {
  try {
    const { customAttributes } = await within(
      CALL_TIMEOUT_MS,
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    const missing = SEARCH_ATTRIBUTES.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await within(
      CALL_TIMEOUT_MS,
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch (error) {
    if (isRefused(error)) {
      throw new SetupRefused(
        `Temporal refuses to add search attributes to namespace ${namespace} (${error.details}). Add these to it, all of type Keyword: ${SEARCH_ATTRIBUTES.join(', ')}.`,
      );
    }
    if (!isGrpcServiceError(error) || error.code !== GRPC_ALREADY_EXISTS) throw error;
  }
}

function isRefused(error: unknown): error is Error & { readonly details: string } {
  return isGrpcServiceError(error) && GRPC_REFUSED.includes(Number(error.code));
}

/** The server does not know the namespace (NotFound), or one of the attributes (InvalidArgument). */
async function whatIsMissing(
  connection: SetupConnection,
  namespace: string,
): Promise<'namespace' | 'attributes' | undefined> {
  const query = SEARCH_ATTRIBUTES.map((name) => `${name} = 'none'`).join(' and ');
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
