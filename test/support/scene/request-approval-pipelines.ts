/** Blocks and paths for pipelines. */

export const BASE = '/api/v1/request-approval-pipelines';
export const ORGANIZATION = `${BASE}/organization`;

export const always = (id = 'deny-all', config: object = {}) => ({
  id,
  name: 'Deny everything',
  type: 'always',
  config: { outcome: 'deny', reason: 'Not today.', ...config },
});

export const cel = (id: string, when: object, config: object = {}) => ({
  id,
  name: 'Rule',
  type: 'cel',
  config: { when, on_match: 'approve', reason: 'Fine.', ...config },
});

export const path = (key: string) => ({
  path_key: key,
  name: key,
  nodes: [
    {
      id: '11111111-1111-4111-8111-111111111111',
      type: 'level',
      targets: [{ type: 'broadcast' }],
      escalate_after: '5m',
    },
  ],
});
