/** Characters in a search: as many as every list of the API takes. Every screen loads this. */
export const MOST_TYPED = 100;
