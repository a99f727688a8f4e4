/**
 * What a permission policy lets its holder do, as a sentence. Names are data: they stay apart from our words, so that each
 * reader can mark them.
 */
import type { SentencePart } from './sentences/parts.ts';
import type { Permission, ScopeKind } from '../people/permissions.ts';

export interface ToldPolicy {
  readonly scopeKind: ScopeKind;
  /** The names of the teams or agents; none at organization scope. */
  readonly scopeNames: readonly string[];
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
}

interface Phrase {
  readonly verbs: readonly string[];
  readonly object: string;
  /** The object at agents or teams. Absent for what concerns the whole organization only. */
  readonly narrow?: string;
}

const phrase = (verbs: string, object: string, narrow?: string): Phrase => ({
  verbs: verbs.split(' '),
  object,
  ...(narrow !== undefined && { narrow }),
});

/** In the order of sentences. */
const PHRASES: Readonly<Record<Permission, Phrase>> = {
  'request.create': phrase('create', 'requests', 'requests'),
  'request.read': phrase('see', 'requests', 'requests'),
  'request.claim': phrase('claim', 'requests', 'requests'),
  'request.decide': phrase('decide', 'requests', 'requests'),
  'request.read.unrouted': phrase('see', 'requests routed to others', 'requests routed to others'),
  'request.decide.unrouted': phrase(
    'decide',
    'requests routed to others',
    'requests routed to others',
  ),
  'agent.read': phrase('see', 'agents', 'details'),
  'agent.write': phrase('change', 'agents', 'settings'),
  'agent.credential.issue': phrase('issue', 'agent credentials', 'credentials'),
  'agent.credential.revoke': phrase('revoke', 'agent credentials', 'credentials'),
  'pipeline.read': phrase('see', 'rules', 'rules'),
  'pipeline.write': phrase('write', 'rules', 'rules'),
  'pipeline.activate': phrase('activate', 'rules', 'rules'),
  'gateway.call': phrase('call', 'tools through the gateway', 'tools through the gateway'),
  'gateway.read': phrase('see', 'the gateway', 'gateway connections'),
  'gateway.write': phrase('change', 'the gateway', 'gateway connections'),
  'team.read': phrase('see', 'teams', 'details'),
  'team.write': phrase('change', 'teams', 'settings'),
  'team.member.write': phrase('change', 'team members', 'members'),
  'team.escalation.write': phrase('write', 'team escalation policies', 'escalation policies'),
  'team.escalation.activate': phrase('activate', 'team escalation policies', 'escalation policies'),
  'escalation_path.read': phrase('see', 'escalation paths'),
  'escalation_path.write': phrase('write', 'escalation paths'),
  'escalation_path.activate': phrase('activate', 'escalation paths'),
  'webhook.read': phrase('see', 'webhook endpoints'),
  'webhook.write': phrase('change', 'webhook endpoints'),
  'membership.read': phrase('see', 'members'),
  'membership.write': phrase('suspend remove', 'members'),
  'membership.invite': phrase('invite', 'people'),
  'permission_policy.read': phrase('see', 'permissions of others'),
  'permission_policy.write': phrase('grant revoke', 'permissions'),
  'api_key.issue': phrase('issue', 'API keys of their own'),
  'api_key.read': phrase('see', 'API keys of the organization'),
  'api_key.revoke': phrase('revoke', 'API keys of the organization'),
  'api_key.organization.issue': phrase('issue', 'API keys of the organization'),
  'connection.read': phrase('see', 'connections'),
  'connection.write': phrase('change', 'connections'),
  'audit.read': phrase('see', 'the audit log'),
  'organization.read': phrase('see', 'the organization'),
  'organization.settings.write': phrase('change', 'settings of the organization'),
  'organization.delete': phrase('delete', 'the organization'),
};

const isTold = (key: string): key is Permission => Object.hasOwn(PHRASES, key);

/** Without its subject: `may decide requests of Support bot and Billing bot`. */
export function policySentence(policy: ToldPolicy): readonly SentencePart[] {
  if (policy.isOwner) return ['is an owner: may do everything'];
  const { permissions, scopeKind } = policy;
  const known = Object.keys(PHRASES)
    .filter(isTold)
    .filter((key) => permissions.includes(key))
    .map((key) => PHRASES[key]);
  const unknown = permissions.filter((key) => !isTold(key));
  const narrow = known.filter((each) => each.narrow !== undefined);
  const wide = known.filter((each) => each.narrow === undefined);
  const parts: (readonly SentencePart[])[] = [
    ...(narrow.length === 0
      ? []
      : [[clauses(narrow, scopeKind !== 'organization'), ...placeOf(policy)]]),
    ...(wide.length === 0 ? [] : [[clauses(wide, false)]]),
    ...(unknown.length === 0
      ? []
      : [['use ', ...named(unknown), ...(narrow.length > 0 ? [] : placeOf(policy))]]),
  ];
  if (parts.length === 0) return ['may do nothing'];
  return joined(['may ', ...parts.flatMap((part, index) => [...separator(index, parts), ...part])]);
}

const separator = (index: number, { length }: readonly unknown[]): readonly string[] =>
  index === 0 ? [] : [index === length - 1 ? ', and ' : ', '];

/** ` of Support bot and Billing bot`, ` in the whole organization`. */
function placeOf({ scopeKind, scopeNames }: ToldPolicy): readonly SentencePart[] {
  if (scopeKind === 'organization') return [' in the whole organization'];
  if (scopeNames.length === 0) return [scopeKind === 'team' ? ' of no team' : ' of no agent'];
  const kind = scopeKind === 'team' ? (scopeNames.length === 1 ? 'the team ' : 'the teams ') : '';
  return [` of ${kind}`, ...named(scopeNames)];
}

/** What has one object shares it, and then what has the same verbs: `see and decide requests and rules`. */
function clauses(phrases: readonly Phrase[], isNarrow: boolean): string {
  const verbsOf = new Map<string, readonly string[]>();
  for (const { verbs, object, narrow } of phrases) {
    const shown = isNarrow ? (narrow ?? object) : object;
    verbsOf.set(shown, [...new Set([...(verbsOf.get(shown) ?? []), ...verbs])]);
  }
  const objectsOf = new Map<string, readonly string[]>();
  for (const [object, verbs] of verbsOf) {
    const shown = list(verbs);
    objectsOf.set(shown, [...(objectsOf.get(shown) ?? []), object]);
  }
  const all = [...objectsOf].map(([verbs, objects]) => `${verbs} ${list(objects)}`);
  const isPlain = all.length === 2 && all.every((clause) => !/,| and /.test(clause));
  return all.length === 1 || isPlain
    ? all.join(' and ')
    : `${all.slice(0, -1).join(', ')}, and ${all.at(-1) ?? ''}`;
}

/** `a`, `a and b`, `a, b and c`. */
const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** The same of names. */
export const named = (names: readonly string[]): readonly SentencePart[] =>
  names.flatMap((name, index): readonly SentencePart[] => [
    ...(index === 0 ? [] : [index === names.length - 1 ? ' and ' : ', ']),
    { name },
  ]);

/** Words that follow each other as one part. */
function joined(parts: readonly SentencePart[]): readonly SentencePart[] {
  return parts.reduce<SentencePart[]>((before, part) => {
    const last = before.at(-1);
    if (typeof part !== 'string' || typeof last !== 'string') return [...before, part];
    return [...before.slice(0, -1), last + part];
  }, []);
}
