/** The form in which a person denies a request with a note. */

/** Identifies the form, and its one input in what a person sends. */
export const NOTE_FORM = 'countersign_deny_note';

/** Slack's own limit for an input. The API takes 4,000. */
const MOST_CHARACTERS = 3_000;

/** Slack's limit for what a form carries. */
const MOST_METADATA = 3_000;

/** The click that opened the form. */
export interface NoteFormOrigin {
  readonly requestId: string;
  readonly responseUrl: string;
  /** Who opened it. */
  readonly membershipId?: string;
}

export function noteForm({ requestId, responseUrl, membershipId }: NoteFormOrigin) {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
  const metadataWith = (url: string) => JSON.stringify([requestId, url, membershipId]);
  const metadata = metadataWith(responseUrl);
  return {
    type: 'modal',
    callback_id: NOTE_FORM,
    private_metadata: metadata.length > MOST_METADATA ? metadataWith('') : metadata,
    title: plain('Deny with a note'),
    submit: plain('Deny'),
    close: plain('Cancel'),
    blocks: [
      {
        type: 'input',
        block_id: NOTE_FORM,
        label: plain('Note'),
        hint: plain('The agent and the record get this note. The request is denied at once.'),
        element: {
          type: 'plain_text_input',
          action_id: NOTE_FORM,
          multiline: true,
          max_length: MOST_CHARACTERS,
        },
      },
    ],
  } as const;
}

/** Reads the `private_metadata` of a sent form. */
export function noteFormOrigin(metadata: unknown): NoteFormOrigin | undefined {
  if (typeof metadata !== 'string') return undefined;
  try {
    const [requestId, responseUrl, membershipId] = JSON.parse(metadata) as unknown[];
    if (typeof requestId !== 'string' || typeof responseUrl !== 'string') return undefined;
    return { requestId, responseUrl, ...(typeof membershipId === 'string' && { membershipId }) };
  } catch {
    return undefined;
  }
}
