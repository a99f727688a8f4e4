/** What a receiver reads its signing secret from. Pure. */
export const secretFile = (secret: string) => ({
  name: 'countersign-endpoint.env',
  variables: { SIGNING_SECRET: secret },
});
