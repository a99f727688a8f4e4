/** English texts about one API key. */
export const keyFacts = {
  states: {
    active: 'Works',
    ending: 'Ends soon',
    expired: 'Expired',
    revoked: 'Revoked',
    blocked: 'Blocked',
  },
  blocked: {
    api_keys_disabled: 'Personal keys are not allowed now.',
    organization_inactive: 'The organization is deleted.',
    other: 'This key is refused: its member is suspended, or this edition does not support it.',
  },
  made: 'Made',
  used: 'last used',
  unused: 'never used',
  ends: 'ends',
  ended: 'ended',
  noEnd: 'has no end',
  revokedAt: 'revoked',
  opens: {
    mcp: 'May call the MCP endpoint only.',
    api: 'May call the whole API.',
  },
  checked: 'Its address was checked:',
  notChecked: 'Not checked. Anyone can register a program under this name.',
  consented: 'Approved',
  token: 'last refreshed',
  noToken: 'no token yet',
  unlessRefreshed: 'ends without a refresh',
  grantEnds: 'must ask again',
} as const;
