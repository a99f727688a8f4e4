/** What the page asks its thread. */
import type { GivenCall } from '../../../../../src/domain/shown/page/call-findings.ts';
import type { HowToShow } from '../../../../../src/domain/shown/shown-call.ts';

export interface Wanted {
  readonly given: GivenCall;
  readonly how: HowToShow;
}
