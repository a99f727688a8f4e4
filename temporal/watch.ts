/**
 * Watches whether the Temporal server responds, because calls to an absent server would hang for
 * seconds each.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate as afterPendingEvents, setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { Logger } from 'pino';
import { within } from './deadline.ts';
import type { Prepared, SetupConnection } from './setup.ts';

const ASK_EVERY_MS = 1_000;
/** While it is away, so that its return is noticed soon. */
const ASK_AGAIN_MS = 300;
/** A hundred times the usual duration of a response. */
const SILENT_AFTER_MS = 900;
/** How often a namespace without room for all search attributes is looked at again. */
const ROOM_EVERY_MS = 60_000;
const GRPC_NOT_FOUND = 5;
/** PermissionDenied and Unauthenticated: a retry does not help. */
const REFUSED = new Set([7, 16]);
/** Canceled, deadline exceeded, unavailable: errors from our own side. */
const UNHEARD = new Set([1, 4, 14]);

/** What calls know about the server. */
export interface Presence {
  /** Aborted while the server does not respond. A new one follows once it does. */
  readonly away: AbortSignal;
  /** Any response means that the server is up. */
  heard(): void;
}

export interface PresenceKeeper extends Presence {
  /** Declares the server away unless it responded since `instant` (of `performance.now()`). */
  awayUnlessHeardSince(instant: number): void;
}

export function createPresence(): PresenceKeeper {
  let controller = unboundedController();
  let heardAt = performance.now();
  return {
    get away() {
      return controller.signal;
    },
    heard: () => {
      heardAt = performance.now();
      if (controller.signal.aborted) controller = unboundedController();
    },
    awayUnlessHeardSince: (instant) => {
      if (heardAt < instant) controller.abort(new Error('Temporal does not respond.'));
    },
  };
}

/**
 * Every call under way listens to the signal. Node would report more than ten listeners as a leak.
 */
function unboundedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Called when the server is back. `reset`: it lost our workflows. A failure is retried. */
export type OnReturn = (how: { readonly reset: boolean }) => Promise<void>;

export interface WatchOptions {
  readonly namespace: string;
  readonly logger: Logger;
  readonly presence: PresenceKeeper;
  readonly onReturn: OnReturn;
  /** What the first setup found. */
  readonly prepared: Prepared;
  /** Sets the server up again. */
  readonly setUp: () => Promise<Prepared>;
  /** How long the server may leave a question open before it counts as away. Default 900 ms. */
  readonly silentAfterMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Polls the server until aborted. A server that was away is set up again. So is one that lost our
 * namespace with its database while connection and worker survived.
 */
export async function watchServer(
  connection: SetupConnection,
  options: WatchOptions,
): Promise<void> {
  const { namespace, logger, presence, onReturn, silentAfterMs, signal } = options;
  let unsure = false;
  let prepared = options.prepared;
  let preparedAt = performance.now();
  let refusal: string | undefined;
  let unhandled: { reset: boolean } | undefined = { reset: prepared.isNew };
  while (!signal.aborted) {
    const asked = performance.now();
    const state = await ask(connection, namespace, silentAfterMs);
    if (state === 'none') presence.awayUnlessHeardSince(asked);
    else presence.heard();
    const refused = typeof state === 'object' ? state.refused : undefined;
    if (refused !== undefined && refusal === undefined)
      logger.error({ reason: refused }, 'Temporal refuses calls; requests go on without it');
    refusal = refused;
    unsure ||= prepared.lacking.length > 0 && asked - preparedAt > ROOM_EVERY_MS;
    if (presence.away.aborted && !unsure)
      logger.warn('Temporal does not respond; requests go on without it');
    unsure ||= state === 'unknown namespace' || presence.away.aborted;
    if (!presence.away.aborted) {
      try {
        if (unsure) {
          prepared = await options.setUp();
          preparedAt = performance.now();
          unhandled = { reset: prepared.isNew || unhandled?.reset === true };
        }
        unsure = false;
        if (unhandled) await onReturn(unhandled);
        unhandled = undefined;
      } catch (error) {
        if (!signal.aborted)
          logger.warn({ err: error }, 'could not catch up with Temporal; trying again');
      }
    }
    await delay(unsure || unhandled ? ASK_AGAIN_MS : ASK_EVERY_MS, undefined, {
      signal,
      ref: false,
    }).catch(() => undefined);
  }
}

async function ask(
  connection: SetupConnection,
  namespace: string,
  silentAfterMs = SILENT_AFTER_MS,
): Promise<'known namespace' | 'unknown namespace' | 'none' | { readonly refused: string }> {
  try {
    await within(silentAfterMs, connection.workflowService.describeNamespace({ namespace }));
    return 'known namespace';
  } catch (error) {
    if (isGrpcServiceError(error) && REFUSED.has(Number(error.code)))
      return { refused: error.message };
    if (isGrpcServiceError(error) && !UNHEARD.has(Number(error.code))) {
      return Number(error.code) === GRPC_NOT_FOUND ? 'unknown namespace' : 'known namespace';
    }
    // After a pause of this process the timer fires before responses that arrived long ago, so let
    // those in first.
    await afterPendingEvents();
    return 'none';
  }
}
