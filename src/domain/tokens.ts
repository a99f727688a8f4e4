/** Prefixes of tokens by kind of credential, so that one kind never passes for another. */
export const TOKEN_PREFIX = {
  agentCredential: 'whc',
  provisioner: 'whp',
  enrollment: 'whe',
  apiKey: 'whk',
  organizationKey: 'who',
  session: 'whs',
  invitation: 'whi',
  mfaChallenge: 'whm',
  passwordReset: 'whr',
  oauthCode: 'wha',
  oauthRefresh: 'whf',
} as const;
