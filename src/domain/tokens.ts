/** What the tokens of each kind of credential begin with, so that none passes for another. */
export const TOKEN_PREFIX = {
  agentCredential: 'whc',
  apiKey: 'whk',
  organizationKey: 'who',
  session: 'whs',
  invitation: 'whi',
  mfaChallenge: 'whm',
  passwordReset: 'whr',
} as const;
