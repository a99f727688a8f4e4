/** Checks at saving whether a URL may be called. Each connection checks again. */
import { invalid } from '../../domain/errors.ts';
import { EgressDenied, EgressTimeout } from '../../platform/network/egress.ts';
import type { Runtime } from '../context.ts';

/** Throws 400 `egress_denied` at the pointer unless a call may go there now. */
export async function requireReachable(
  { egress }: Pick<Runtime, 'egress'>,
  url: string,
  pointer = '/url',
): Promise<void> {
  try {
    await egress.check(url);
  } catch (error) {
    if (!(
      error instanceof EgressDenied ||
      error instanceof DOMException ||
      error instanceof EgressTimeout
    ))
      throw error;
    const message =
      error instanceof EgressDenied ? error.message : 'names a host that was not found in time';
    throw invalid([{ pointer, code: 'egress_denied', message }]);
  }
}
