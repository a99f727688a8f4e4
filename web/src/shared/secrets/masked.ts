/** A secret as it may be seen over someone's shoulder: what names it stays, the rest does not. Pure. */

/** The kind and the id of a token, or the address before the last part of a link. */
const NAMED = /^(?:[a-z]+_(?:[0-9a-f]{8}-[0-9a-f-]{27}_)?|https?:\/\/[^#?]*\/)/;

const DOTS = '••••••••••••';

export const maskedSecret = (secret: string): string => `${NAMED.exec(secret)?.[0] ?? ''}${DOTS}`;
