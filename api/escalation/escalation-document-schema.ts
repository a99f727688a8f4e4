/** The shape of escalation documents, for answers and for the interface's description. The domain alone judges what is sent. */
import { z } from 'zod';
import { DURATION_PATTERN } from '../../src/domain/durations.ts';
import { LIMITS, WEEKDAYS } from '../../src/domain/escalation/types.ts';
import type { EscalationWarning } from '../../src/services/escalation/escalation-warnings.ts';
import { conditionSchema } from '../pipelines/conditions-schema.ts';
import { uuid } from '../http/schema.ts';

const wait = (description: string) =>
  z.string().meta({ description, override: { type: 'string', pattern: DURATION_PATTERN } });

const setId = (description: string) => z.string().min(1).max(64).meta({ description });

const nodeId = () =>
  z.guid().meta({ description: 'A UUID of any version, unique within the document.' });

const intervalSchema = z
  .strictObject({
    weekdays: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .max(WEEKDAYS.length)
      .meta({ description: 'The days on which it starts.' }),
    start: z
      .string()
      .meta({ description: 'Local time from `00:00` to `23:59`.', examples: ['09:00'] }),
    end: z.string().meta({
      description:
        'Local time up to `24:00`. Before the start it is on the next day; equal to it is refused.',
      examples: ['17:30'],
    }),
  })
  .meta({ id: 'WorkingInterval', description: 'From the start up to, and without, the end.' });

const workingHoursSchema = z
  .strictObject({
    id: setId('Unique in the document.'),
    name: z.string().min(1).max(LIMITS.nameLength).meta({ description: 'Name for people.' }),
    timezone: z
      .string()
      .meta({ description: 'IANA name of the time zone.', examples: ['Europe/Berlin'] }),
    intervals: z
      .array(intervalSchema)
      .min(1)
      .max(LIMITS.intervals)
      .meta({ description: 'When the hours are active.' }),
  })
  .meta({
    id: 'WorkingHoursSet',
    description:
      'Hours of the week in one time zone. A local time a clock change skips counts from behind the gap, one that occurs twice is the first.',
  });

const userTarget = z
  .strictObject({
    type: z.literal('user').meta({ description: 'One member.' }),
    id: uuid('Membership id.'),
  })
  .meta({ id: 'UserTarget', description: 'One member, by membership id.' });

const teamTarget = z
  .strictObject({ type: z.literal('team').meta({ description: 'A team.' }), id: uuid('Team id.') })
  .meta({
    id: 'TeamTarget',
    description: 'A team: by its active escalation policy, else every member at once.',
  });

const broadcastTarget = z
  .strictObject({ type: z.literal('broadcast').meta({ description: 'Everybody who may decide.' }) })
  .meta({
    id: 'BroadcastTarget',
    description:
      'Every active member who may decide for the agent when the level fires; in a team policy, of the team.',
  });

const levelNode = z
  .strictObject({
    id: nodeId(),
    type: z.literal('level').meta({ description: 'Notifies, then waits.' }),
    targets: z
      .array(z.discriminatedUnion('type', [userTarget, teamTarget, broadcastTarget]))
      .min(1)
      .max(LIMITS.targets)
      .meta({ description: 'Who is notified.' }),
    escalate_after: wait('How long the walk waits before it goes on, from 1m to 168h.'),
    raise_urgency: z.boolean().optional().meta({
      description: 'Raise the urgency to `interrupt` before notifying; false when absent.',
    }),
  })
  .meta({ id: 'LevelNode', description: 'A level of people.' });

const pathCondition = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('working_hours').meta({ description: 'Whether working hours are active.' }),
      working_hours_id: setId('A set of `working_hours`.'),
      active: z.boolean().meta({ description: 'Holds while they are (true) or are not (false).' }),
    }),
    z.strictObject({
      type: z.literal('urgency').meta({ description: 'How urgent the request is.' }),
      urgency: z.enum(['standard', 'interrupt']).meta({ description: 'Holds at this urgency.' }),
    }),
    z.strictObject({
      type: z.literal('request').meta({ description: 'What the request says.' }),
      when: conditionSchema,
    }),
  ])
  .meta({
    id: 'EscalationCondition',
    description: 'Evaluated when the walk reaches its node, in each run anew.',
  });

// Branches are read late (getters), because they are made of nodes.
const ifElseNode = z
  .strictObject({
    id: nodeId(),
    type: z.literal('if_else').meta({ description: 'Chooses a branch.' }),
    conditions: z
      .array(pathCondition)
      .min(1)
      .max(LIMITS.conditions)
      .meta({ description: 'All must hold for `then`.' }),
    get then(): z.ZodType {
      return z
        .array(nodeSchema)
        .optional()
        .meta({ description: 'Walked when all conditions hold; none when absent.' });
    },
    get else(): z.ZodType {
      return z
        .array(nodeSchema)
        .optional()
        .meta({ description: 'Walked otherwise; none when absent.' });
    },
  })
  .meta({ id: 'IfElseNode', description: 'Walks one branch, then goes on behind the node.' });

const deferNode = z
  .strictObject({
    id: nodeId(),
    type: z.literal('defer').meta({ description: 'Waits for working hours.' }),
    working_hours_id: setId('A set of `working_hours`.'),
    standard_only: z
      .boolean()
      .optional()
      .meta({ description: 'Requests of urgency `interrupt` do not wait; false when absent.' }),
  })
  .meta({
    id: 'DeferNode',
    description: 'Waits until the working hours are active; goes on at once while they are.',
  });

const nodeSchema: z.ZodType = z.union([levelNode, ifElseNode, deferNode]).meta({
  id: 'EscalationNode',
  description: `One step of the walk. At most ${LIMITS.depth} levels of nesting.`,
});

const repeatSchema = z
  .strictObject({
    times: z
      .int()
      .min(1)
      .max(LIMITS.repeats)
      .meta({ description: 'How many further runs from the top.' }),
    after: wait('How long each waits behind the end of the run before, from 1m to 168h.'),
  })
  .meta({ id: 'EscalationRepeat', description: 'What happens when the nodes run out.' });

/** The members of a document in an answer. */
export const documentSchema = {
  working_hours: z.array(workingHoursSchema).meta({ description: 'Sets of hours the nodes name.' }),
  nodes: z
    .array(nodeSchema)
    .meta({ description: 'The nodes, in the order in which the walk meets them.' }),
  repeat: repeatSchema.optional().meta({ description: 'Absent: the document is walked once.' }),
};

/** The members of a document in a body, as JSON Schema. */
export const documentMembers = {
  working_hours: {
    type: 'array' as const,
    maxItems: LIMITS.workingHours,
    description: 'Sets of hours the nodes name; none when absent.',
    items: { $ref: '#/components/schemas/WorkingHoursSet' },
  },
  nodes: {
    type: 'array' as const,
    minItems: 1,
    maxItems: LIMITS.nodes,
    description: `The nodes, in order; at most ${LIMITS.nodes} in the document.`,
    items: { $ref: '#/components/schemas/EscalationNode' },
  },
  repeat: { $ref: '#/components/schemas/EscalationRepeat' },
};

const memberWarning = z
  .strictObject({
    code: z.literal('user_cannot_decide').meta({
      description: 'A targeted member is suspended or lacks `request.decide` everywhere.',
    }),
    membership_id: uuid('The member.'),
    display_name: z.string().meta({ description: 'Name of the member.' }),
  })
  .meta({ id: 'MemberWarning', description: 'About a member the document asks by name.' });

const teamWarning = z
  .strictObject({
    code: z.enum(['team_members_cannot_decide', 'empty_team']).meta({
      description:
        'Some members of the team are suspended or lack `request.decide` everywhere; or the team has none.',
    }),
    team_id: uuid('The team.'),
    team_name: z.string().meta({ description: 'Name of the team.' }),
    count: z.int().meta({ description: 'How many of its members cannot decide.' }),
    member_count: z.int().meta({ description: 'How many members it has.' }),
  })
  .meta({ id: 'TeamWarning', description: 'About a team the document asks.' });

export const warningsSchema = () =>
  z.array(z.union([memberWarning, teamWarning])).meta({
    description:
      'Advice; nothing is refused because of it. Computed when a revision is created or activated; empty on plain reads.',
  });

export function presentWarning(warning: EscalationWarning) {
  if (warning.code === 'user_cannot_decide') {
    return {
      code: warning.code,
      membership_id: warning.membershipId,
      display_name: warning.displayName,
    };
  }
  const { code, teamId, teamName, count, memberCount } = warning;
  return { code, team_id: teamId, team_name: teamName, count, member_count: memberCount };
}

/** What a document that is not a document of the grammar can answer. */
export const DOCUMENT_ERRORS = ['unknown_node_type'] as const;
