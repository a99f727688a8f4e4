/** The grammar of escalation paths and of team escalation policies: who is asked, in which order and when. */
import { z } from 'zod';
import { conditionSchema } from '../conditions/document.ts';
import {
  duration,
  guid,
  integer,
  key,
  label,
  list,
  object,
  oneOfTypes,
  problem,
  text,
} from '../grammar.ts';
import { revisionComment } from '../revisions.ts';
import { canonicalTimeZone } from './time-zones.ts';
import { WEEKDAYS } from './weekly-hours.ts';

export const LIMITS = {
  nodes: 500,
  depth: 32,
  targets: 100,
  conditions: 10,
  workingHours: 50,
  intervals: 50,
  nameLength: 200,
  repeats: 9,
} as const;

const START = /^([01][0-9]|2[0-3]):[0-5][0-9]$/;
const END = /^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/;
const WAIT = { min: '1m', max: '168h' };

const setId = (description: string) => text(description, { max: 64 });
const name = () => label('Name for people.', LIMITS.nameLength);
const nodeId = () => guid('A UUID of any version, unique within the document.');

const weekdays = list(z.enum(WEEKDAYS))
  .min(1)
  .max(WEEKDAYS.length)
  .check(({ value: days, issues }) => {
    for (const [index, day] of days.entries())
      if (days.indexOf(day) < index)
        issues.push(problem('duplicate_weekday', 'must not occur earlier in the list', [index]));
  })
  .meta({ description: 'The days on which it starts.' });

export const workingInterval = object({
  weekdays,
  start: text('Local time from `00:00` to `23:59`.', {
    max: 5,
    pattern: START,
    rule: 'be a time from 00:00 to 23:59',
  }).meta({ examples: ['09:00'] }),
  end: text(
    'Local time up to `24:00`, which ends the day. An end before the start is on the next day. It must differ from the start.',
    { max: 5, pattern: END, rule: 'be a time from 00:00 to 24:00' },
  ).meta({ examples: ['17:30'] }),
})
  .check(({ value: { start, end }, issues }) => {
    if (start === end) issues.push(problem('invalid_value', 'must differ from the start', ['end']));
  })
  .meta({
    id: 'WorkingInterval',
    description: 'On each weekday, from the start up to but excluding the end.',
  });

const ZONE_RULE = 'be the IANA name of a time zone, such as Europe/Berlin';

const timezone = text('IANA name of the time zone.', { max: 64, rule: ZONE_RULE })
  .check((payload) => {
    const zone = canonicalTimeZone(payload.value);
    if (zone === undefined) payload.issues.push(problem('unknown_timezone', `must ${ZONE_RULE}`));
    else payload.value = zone;
  })
  .meta({ examples: ['Europe/Berlin'] });

export const workingHoursSet = object({
  id: setId('Unique in the document.'),
  name: name(),
  timezone,
  intervals: list(workingInterval)
    .min(1)
    .max(LIMITS.intervals)
    .meta({ description: 'When the hours are active.' }),
}).meta({
  id: 'WorkingHoursSet',
  description:
    'Hours of the week in one time zone. An instant is inside when the local date and time of the zone lie in an interval. That also applies where clocks repeat a time, or jump over a start.',
});

const userTarget = object({
  type: z.literal('user').meta({ description: 'One member.' }),
  id: guid('Membership id.'),
}).meta({ id: 'UserTarget', description: 'One member, by membership id.' });

const teamTarget = object({
  type: z.literal('team').meta({ description: 'A team.' }),
  id: guid('Team id.'),
}).meta({
  id: 'TeamTarget',
  description:
    'A team. Its active escalation policy decides who is asked when; without one, all members are asked at once.',
});

const broadcastTarget = object({
  type: z.literal('broadcast').meta({ description: 'Everyone who may decide.' }),
}).meta({
  id: 'BroadcastTarget',
  description:
    'Every active member who may decide for the agent when the level fires. In a team policy: every such member of the team.',
});

export const target = oneOfTypes({ unknown: 'unknown_target_type' }, [
  userTarget,
  teamTarget,
  broadcastTarget,
]);
const policyTarget = oneOfTypes({ unknown: 'unknown_target_type' }, [userTarget, broadcastTarget]);

type Target = z.output<typeof target>;

/** Equal for equal targets only. */
export function targetKey(one: Target): string {
  return one.type === 'broadcast' ? one.type : `${one.type}:${one.id}`;
}

function checkTargets({ value: targets, issues }: z.core.ParsePayload<readonly Target[]>): void {
  const seen = new Set<string>();
  for (const [index, one] of targets.entries()) {
    const each = targetKey(one);
    if (seen.has(each))
      issues.push(problem('duplicate_target', 'must not occur earlier in the list', [index]));
    seen.add(each);
  }
}

const targets = list(target)
  .min(1)
  .max(LIMITS.targets)
  .check(checkTargets)
  .meta({ description: 'Who is notified.' });

const policyTargets = list(policyTarget)
  .min(1)
  .max(LIMITS.targets)
  .check((payload) => {
    const { value, issues } = payload;
    const alone = value.findIndex((one) => one.type === 'broadcast');
    if (alone >= 0 && value.length > 1) {
      const rule = 'must be the only target: it is every member of the team';
      issues.push(problem('broadcast_not_alone', rule, [alone]));
    }
    checkTargets(payload);
  })
  .meta({ description: 'Who is notified: members of the team, or one `broadcast` alone.' });

export const pathCondition = oneOfTypes({ unknown: 'unknown_condition_type' }, [
  object({
    type: z.literal('working_hours').meta({ description: 'Whether working hours are active.' }),
    working_hours_id: setId('A set of `working_hours`.'),
    active: z.boolean().meta({ description: 'Holds while they are (true) or are not (false).' }),
  }),
  object({
    type: z.literal('urgency').meta({ description: 'How urgent the request is.' }),
    urgency: z.enum(['standard', 'interrupt']).meta({ description: 'Holds at this urgency.' }),
  }),
  object({
    type: z.literal('request').meta({ description: 'What the request says.' }),
    when: conditionSchema,
  }),
]).meta({
  id: 'EscalationCondition',
  description: 'Evaluated when the walk reaches its node, again in each run.',
});

const deferNode = object({
  id: nodeId(),
  type: z.literal('defer').meta({ description: 'Waits for working hours.' }),
  working_hours_id: setId('A set of `working_hours`.'),
  standard_only: z
    .boolean()
    .default(false)
    .meta({ description: 'Requests of urgency `interrupt` do not wait.' }),
}).meta({
  id: 'DeferNode',
  description:
    'Waits until the working hours are active. During working hours, the walk continues at once.',
});

type Branch<Node extends z.ZodType> = z.ZodDefault<z.ZodArray<Node>>;

/** A branch of an `if_else` node. It needs a return type because nodes contain branches. */
function branchOf<Node extends z.ZodType>(node: Node, description: string): Branch<Node> {
  return list(node).max(LIMITS.nodes).default([]).meta({ description });
}

/** The nodes of paths, or of team policies, which have other targets. Names of their components start with `prefix`. */
function nodesOf<Targets extends z.ZodType>(prefix: '' | 'TeamPolicy', who: Targets) {
  const level = object({
    id: nodeId(),
    type: z.literal('level').meta({ description: 'Notifies, then waits.' }),
    targets: who,
    escalate_after: duration('How long the walk waits before it continues, from 1m to 168h.', WAIT),
    raise_urgency: z
      .boolean()
      .default(false)
      .meta({ description: 'Raise the urgency to `interrupt` before notifying.' }),
  }).meta({ id: `${prefix}LevelNode`, description: 'A level of people.' });
  const ifElse = object({
    id: nodeId(),
    type: z.literal('if_else').meta({ description: 'Chooses a branch.' }),
    conditions: list(pathCondition)
      .min(1)
      .max(LIMITS.conditions)
      .meta({ description: 'All must hold for `then`.' }),
    get then(): Branch<typeof node> {
      return branchOf(node, 'Walked when all conditions hold. Empty when absent.');
    },
    get else(): Branch<typeof node> {
      return branchOf(node, 'Walked otherwise. Empty when absent.');
    },
  }).meta({
    id: `${prefix}IfElseNode`,
    description: 'Walks one branch, then continues after the node.',
  });
  const node = oneOfTypes({ unknown: 'unknown_node_type' }, [level, ifElse, deferNode]).meta({
    id: `${prefix || 'Escalation'}Node`,
    description: `One node of the document. Nodes nest at most ${LIMITS.depth} levels deep.`,
  });
  return node;
}

export const pathNode = nodesOf('', targets);
const policyNode = nodesOf('TeamPolicy', policyTargets);

export const repeat = object({
  times: integer('How many further runs start from the top.', { min: 1, max: LIMITS.repeats }),
  after: duration(
    'How long each further run waits after the end of the run before it, from 1m to 168h.',
    WAIT,
  ),
}).meta({ id: 'EscalationRepeat', description: 'What happens when the nodes run out.' });

const documentOf = <Node extends z.ZodType>(node: Node) => ({
  working_hours: list(workingHoursSet)
    .max(LIMITS.workingHours)
    .check(({ value: sets, issues }) => {
      const ids = sets.map(({ id }) => id);
      for (const [index, id] of ids.entries())
        if (ids.indexOf(id) < index)
          issues.push(problem('duplicate_id', 'must be unique in the document', [index, 'id']));
    })
    .default([])
    .meta({ description: 'Sets of hours that the nodes name. Empty when absent.' }),
  nodes: list(node)
    .min(1)
    .max(LIMITS.nodes)
    .meta({ description: `The nodes, in order; at most ${LIMITS.nodes} in the document.` }),
  repeat: repeat.exactOptional(),
});

/** The members of a path's document, besides its name. */
export const pathMembers = documentOf(pathNode);
/** The members of a team policy's document. */
export const policyMembers = documentOf(policyNode);

const PATH = 'A whole path. Every targeted member and team must belong to the organization.';
export const pathDocumentSchema = object({
  name: name(),
  ...pathMembers,
  comment: revisionComment(),
}).meta({
  id: 'EscalationPathDocument',
  description: PATH,
});

export const newPathSchema = object({
  path_key: key('Key of the path. It never changes.'),
  name: name(),
  ...pathMembers,
  comment: revisionComment(),
}).meta({ id: 'NewEscalationPath', description: `${PATH} Includes its key.` });

export const policyDocumentSchema = object({ ...policyMembers, comment: revisionComment() }).meta({
  id: 'TeamEscalationPolicyDocument',
  description:
    'A whole policy, in the grammar of escalation paths. The targets of a level are members of the team, or a single `broadcast` ' +
    'to all members of the team who may decide. Teams cannot be targets.',
});
