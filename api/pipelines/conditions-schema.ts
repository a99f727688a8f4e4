/** The shape of condition trees, for answers and for the interface's description. The domain alone judges what is sent. */
import { z } from 'zod';
import { CONDITION_LIMITS, CONDITION_OPERATORS } from '../../src/domain/conditions/types.ts';
import { exactValue } from '../http/schema.ts';

const conditionId = () =>
  z
    .string()
    .meta({ description: `1 to ${CONDITION_LIMITS.idLength} characters, unique in the document.` });

const field = () =>
  z.string().meta({
    description:
      'JSON pointer to what is tested, beginning with `/request/tool`, `/request/server`, `/request/arguments`, ' +
      '`/request/agent_reasoning`, `/request/context`, `/agent/slug`, `/agent/name` or `/previous_metadata`; inside `some` and `every` ' +
      'also with `/item`.',
    examples: ['/request/arguments/amount'],
  });

const leafCondition = z
  .strictObject({
    id: conditionId(),
    field: field(),
    operator: z.enum(CONDITION_OPERATORS).meta({
      description:
        'How the field is tested. A missing field, or one of the wrong type, makes every operator false but `not_exists`. ' +
        '`matches` takes RE2 syntax. Numbers compare as exact decimals, RFC 3339 times as instants.',
    }),
    value: exactValue(
      'What the field is compared with; absent exactly for `exists` and `not_exists`. Numbers keep every digit.',
    ).optional(),
  })
  .meta({ id: 'LeafCondition', description: 'Tests one field.' });

// The parts of a composite are read late (getters), because a condition is made of conditions.
const items = (description: string) =>
  z
    .strictObject({
      field: field(),
      get condition(): z.ZodType {
        return conditionSchema;
      },
    })
    .meta({ description });

const allCondition = z
  .strictObject({
    id: conditionId(),
    get all(): z.ZodType {
      return z.array(conditionSchema).min(1).meta({ description: 'All of these hold.' });
    },
  })
  .meta({ id: 'AllCondition', description: 'True when every part is.' });

const anyCondition = z
  .strictObject({
    id: conditionId(),
    get any(): z.ZodType {
      return z.array(conditionSchema).min(1).meta({ description: 'At least one of these holds.' });
    },
  })
  .meta({ id: 'AnyCondition', description: 'True when at least one part is.' });

const someCondition = z
  .strictObject({
    id: conditionId(),
    some: items('A list, and what at least one item, `/item`, is tested with.'),
  })
  .meta({
    id: 'SomeCondition',
    description: 'True when the condition holds for at least one item of the list.',
  });

const everyCondition = z
  .strictObject({
    id: conditionId(),
    every: items('A list, and what each item, `/item`, is tested with.'),
  })
  .meta({
    id: 'EveryCondition',
    description: 'True when the list has items and the condition holds for each.',
  });

/** A condition tree as stored. */
export const conditionSchema: z.ZodType = z
  .union([leafCondition, allCondition, anyCondition, someCondition, everyCondition])
  .meta({
    id: 'Condition',
    description:
      `A tree of tests: at most ${CONDITION_LIMITS.depth} levels, ${CONDITION_LIMITS.leavesPerCondition} leaves in one tree and ` +
      `${CONDITION_LIMITS.leavesPerDocument} in one document.`,
  });
