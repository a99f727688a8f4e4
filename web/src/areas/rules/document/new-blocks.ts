/** Blocks that are added. They decide nothing by themselves: a person is asked until someone says otherwise. */
import { rules as text } from '../text.ts';

export type BlockType = 'always' | 'branch' | 'cel' | 'llm_judge' | 'webhook';

const when = { id: 'tool', field: '/request/tool', operator: 'equals', value: '' };

export function newBlock(type: BlockType): object {
  const common = { id: type, name: text.newNames[type], type, enabled: true };
  switch (type) {
    case 'always':
      return { ...common, id: 'everything', config: { outcome: 'human', reason: text.newReason } };
    case 'cel':
      return {
        ...{ ...common, id: 'rule' },
        config: { when, on_match: 'human', reason: text.newReason },
      };
    case 'branch':
      return {
        ...common,
        config: {
          when,
          blocks: [
            {
              ...{ id: 'rule', name: text.newNames.cel, type: 'cel', enabled: true },
              config: { when, on_match: 'human', reason: text.newReason },
            },
          ],
          reason: text.newReason,
        },
      };
    case 'webhook':
      return {
        ...{ ...common, timeout: '5s', max_attempts: 1 },
        config: { endpoint_key: '', on_error: 'human' },
      };
    case 'llm_judge':
      return {
        ...{ ...common, id: 'judge', timeout: '15s', max_attempts: 1 },
        config: { policy: '', outcomes: ['approve', 'human'], include: ['arguments'] },
      };
  }
}
