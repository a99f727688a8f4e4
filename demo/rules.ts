/** The rules of the demonstration: small refunds pass, and no database is dropped. */

const isRefund = {
  id: 'is-refund',
  field: '/request/tool',
  operator: 'equals',
  value: 'refund_payment',
};
const isPositive = {
  id: 'is-positive',
  field: '/request/arguments/amount',
  operator: 'greater_than',
  value: 0,
};
const isSmall = {
  id: 'is-small',
  field: '/request/arguments/amount',
  operator: 'less_than',
  value: 100,
};
const drops = { id: 'drops', field: '/request/tool', operator: 'equals', value: 'drop_database' };

export const demoRules = [
  {
    ...{ id: 'small-refunds', name: 'Small refunds', type: 'cel' },
    config: {
      when: { id: 'small-refund', all: [isRefund, isPositive, isSmall] },
      on_match: 'approve',
      reason: 'Refunds under 100 need no approval.',
    },
  },
  {
    ...{ id: 'no-drops', name: 'No dropping of databases', type: 'cel' },
    config: { when: drops, on_match: 'deny', reason: 'Databases are never dropped by an agent.' },
  },
];
