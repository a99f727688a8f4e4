/** What the tokens of each kind of credential begin with, so that none passes for another. */
export const TOKEN_PREFIX = { agentCredential: 'whc', apiKey: 'whk', session: 'whs' } as const;
