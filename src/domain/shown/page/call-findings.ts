/**
 * What takes time to find in a large call: what is hidden, what is cut, and what may deceive. All by places in its texts, so that
 * a page can find it in a worker thread.
 */
import { readSource, type SourceValue } from '../../../platform/json/source-values.ts';
import { cutValuesOf } from './cut-values.ts';
import { flagsOf, type Flag, type NamedCall } from '../flags.ts';
import { NOTHING_HIDDEN, type Hidden } from '../hidden.ts';
import { hiddenInCall, type HowToShow, type ShownField } from '../shown-call.ts';

export interface GivenCall {
  readonly names: NamedCall;
  /** Source texts. */
  readonly whole: string;
  readonly context?: string | undefined;
}

export interface CallFindings {
  readonly hidden: Hidden;
  readonly hiddenInContext: Hidden;
  /** Where the values of the arguments begin that a page cuts. */
  readonly cuts: readonly number[];
  readonly flags: readonly Flag[];
}

export function findingsIn<Field extends ShownField>(
  { names, whole: wholeText, context: contextText }: GivenCall,
  how: HowToShow<Field>,
  read: (text: string) => SourceValue | undefined = readSource,
): CallFindings {
  const whole = read(wholeText);
  const context = contextText === undefined ? undefined : read(contextText);
  const hidden = whole ? hiddenInCall(whole, how) : NOTHING_HIDDEN;
  const hiddenInContext = context
    ? hiddenInCall(context, { ...how, presentation: undefined })
    : NOTHING_HIDDEN;
  return {
    ...{ hidden, hiddenInContext },
    cuts: whole ? cutValuesOf(whole, hidden).map(({ offset }) => offset) : [],
    flags: flagsOf(names, { whole, context, hidden, hiddenInContext }),
  };
}
