/** Why a message asks a person to decide: for the first time at a level, or again. Its words in mail, Slack and push messages. */
import { shownLine } from '../shown-text.ts';

export type Occasion =
  | { readonly kind: 'asked' }
  /** The claim of `holder` ended by itself. */
  | {
      readonly kind: 'claim_lapsed';
      readonly holder: { readonly membershipId: string; readonly displayName: string };
    };

/** Slack and mail show names at most this long. */
const MOST_OF_NAME = 60;

/** What comes before the call in a subject or a title: `Claim ended`. Undefined where a person is asked at a level. */
export function occasionTitle({ kind }: Occasion): string | undefined {
  return kind === 'claim_lapsed' ? 'Claim ended' : undefined;
}

/** A sentence: `Ann’s claim ended, and the request is still open.` To the holder: `Your claim ended, …`. */
export function occasionSentence(occasion: Occasion, recipientId?: string): string | undefined {
  if (occasion.kind === 'asked') return undefined;
  const { membershipId, displayName } = occasion.holder;
  const whose = membershipId === recipientId ? 'Your' : `${shownLine(displayName, MOST_OF_NAME)}’s`;
  return `${whose} claim ended, and the request is still open.`;
}
