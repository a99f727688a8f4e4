/** The file in which a credential of an instance is saved. */
export const credentialFile = (secret: string) => ({
  name: 'countersign.env',
  variables: { COUNTERSIGN_URL: location.origin, COUNTERSIGN_TOKEN: secret },
});
