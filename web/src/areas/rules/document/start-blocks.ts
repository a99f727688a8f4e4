/** Rules to start from. What they name is an example that people replace. */
const test = (field: string, operator: string, value: unknown) => ({
  ...{ id: `${field.slice(field.lastIndexOf('/') + 1)}-${operator.replaceAll('_', '-')}` },
  ...{ field, operator, value },
});

export const startBlocks = [
  {
    id: 'small-refunds',
    name: 'Small refunds pass',
    type: 'cel',
    enabled: true,
    config: {
      when: {
        id: 'small',
        all: [
          test('/request/tool', 'equals', 'refund_payment'),
          test('/request/arguments/currency', 'equals', 'EUR'),
          test('/request/arguments/amount', 'greater_than', 0),
          test('/request/arguments/amount', 'less_than_or_equal', 50),
        ],
      },
      on_match: 'approve',
      reason: 'Small refunds need no approval.',
    },
  },
  {
    id: 'no-destruction',
    name: 'Block destructive tools',
    type: 'cel',
    enabled: true,
    config: {
      when: test('/request/tool', 'matches', '(?i)^(drop|truncate|delete|destroy)_'),
      on_match: 'deny',
      reason: 'This is done by hand.',
    },
  },
  {
    id: 'reads',
    name: 'Let reads pass',
    type: 'cel',
    enabled: true,
    config: {
      when: test('/request/tool', 'matches', '^(get|list|read|search)_[a-z_]+$'),
      on_match: 'approve',
      reason: 'It changes nothing.',
    },
  },
] as const;
