/** How long what a client of OAuth holds is good for. */

export const CODE_SECONDS = 60;
export const ACCESS_TOKEN_SECONDS = 3_600;
export const REFRESH_TOKEN_SECONDS = 30 * 24 * 3_600;
/** A client that lost the response to a refresh gets the same tokens again for this long. */
export const REPEAT_SECONDS = 60;
/** A client that no one has approved is forgotten after this time. */
export const UNUSED_CLIENT_SECONDS = 12 * 3_600;
/** So many registered clients that no one has approved are kept at most. The oldest make room. */
export const MOST_UNUSED_CLIENTS = 10_000;
/** However long the host of a client's metadata document allows. */
export const MOST_METADATA_SECONDS = 24 * 3_600;
