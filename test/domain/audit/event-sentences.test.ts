/** Audit events as sentences. */
import { expect, test } from '@jest/globals';
import {
  AGENT_EVENT_TYPES,
  AUDIT_EVENT_TYPES,
  eventSentence,
  isAboutAgent,
  sentenceText as printed,
  typeInWords,
} from '../../../src/domain/audit/event-sentences.ts';
import type { EventPart, ToldEvent } from '../../../src/domain/audit/sentences/parts.ts';

const event = (eventType: string, data: object = {}, more: Partial<ToldEvent> = {}): ToldEvent => ({
  eventType,
  actorType: 'human',
  actorName: 'Ada',
  subjectId: '01a2b3c4-0000-7000-8000-000000000000',
  data: { ...data },
  ...more,
});
const sentenceText = (parts: readonly EventPart[]): string =>
  parts
    .map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : part.id))
    .join('');
const told = (...given: Parameters<typeof event>) => sentenceText(eventSentence(event(...given)));

test('say who did what to which agent, instance, credential and token', () => {
  expect([
    told('agent.renamed', { from: 'Bot', to: 'Support bot' }),
    told('agent.disabled', { name: 'Bot' }, { actorType: 'api_key' }),
    told('agent.archived', { name: 'Bot', revoked_credentials: 1, cancelled_requests: 2 }),
    told('agent_instance.provisioned', {
      agent_instance_name: 'replica-1',
      agent_provisioner_suffix: 'k3Zq',
    }),
    told('agent_credential.revoked', { agent_instance_name: 'laptop' }),
    told('agent_tool.schema_changed', { name: 'refund', server: 'billing' }),
    told('tool_presentation.updated', { tool: 'refund' }),
    told('agent_provisioner.issued', {}, { actorType: 'system', actorName: undefined }),
  ]).toEqual([
    'Ada renamed the agent Bot to Support bot',
    'Ada (with an API key) paused the agent Bot',
    'Ada archived the agent Bot, which ended 1 credential, 2 requests',
    'Ada made the instance replica-1 with the provisioner token whp_…k3Zq',
    'Ada revoked the credential whc_01a2b3c4… of the instance laptop',
    'Ada reported another schema of the tool refund on billing',
    'Ada changed how calls of refund are shown',
    'Countersign issued the provisioner token whp_…?',
  ]);
});

test('keep names apart from their own words, and know every event of agents', () => {
  const parts = eventSentence(event('agent.created', { name: '<b> created the agent' }));
  expect(parts).toEqual([
    { name: 'Ada' },
    ' ',
    'created the agent ',
    { name: '<b> created the agent' },
  ]);
  expect(AGENT_EVENT_TYPES).toContain('agent_instance.enrollment_expired');
  expect(told('moon.landed_softly')).toBe('Ada moon landed softly');
});

const MARK = '<mark>';
/** Data in which every member has this value. */
const everywhere = (value: unknown) => new Proxy({}, { get: () => value });

/** The parts that are our words. */
const words = (type: string, value: unknown): string =>
  eventSentence({ ...event(type), data: everywhere(value) })
    .filter((part) => typeof part === 'string')
    .join('|');

test.each(AUDIT_EVENT_TYPES)(
  '%s has a sentence whose words nothing from outside gets into',
  (type) => {
    expect(told(type)).not.toContain(typeInWords(type));
    for (const value of [
      MARK,
      [MARK],
      [{ display_name: MARK }],
      { [MARK]: MARK },
      7n,
      null,
      true,
    ]) {
      expect(words(type, value)).not.toContain(MARK);
      expect(words(type, value)).not.toMatch(/undefined|null|NaN|\[object/);
    }
  },
);

test('say what happened to requests, rules, people and access', () => {
  const id = '01a2b3c4-0000-7000-8000-000000000000';
  const bySystem = { actorType: 'system' } as const;
  expect([
    told('approval_request.created', { tool: 'refund', server: 'billing' }, { actorType: 'agent' }),
    told('approval_request.approved', { block_id: 'small' }, bySystem),
    told('approval_request.cancelled', { reason: 'agent_archived' }),
    told('approval_request.unreachable', { told: [{ display_name: 'Ada' }, {}] }, bySystem),
    told('request_approval_pipeline.revision_activated', {
      agent_slug: 'bot',
      revision: 3,
      previous_revision: 2,
    }),
    told('escalation_path.archived', {}, { subjectId: 'refunds' }),
    told('membership.suspended', { left_behind: { escalation_paths: [{}, {}] } }),
    told('membership.mfa_removed', {}, { actorId: id }),
    told('team.members_changed', { added: ['a', 'b'], removed: ['c'] }),
    told('permission_policy.created', {
      team_id: 't-1',
      scope_kind: 'agent',
      resource_ids: ['bot'],
      permissions: ['a', 'b'],
    }),
    told('session.sign_in_failed', { membership_id: 'm-1', reason: 'wrong_password' }, bySystem),
    told('organization.updated', { changed: { claim_timeout: {}, name: {} } }),
  ]).toEqual([
    `Ada asked for approval of refund on billing with the request ${id}`,
    `Countersign approved the request ${id} by the rule small`,
    `Ada withdrew the request ${id} (its agent was archived)`,
    `Countersign found no one who can decide the request ${id}, and notified the owners: Ada, ?`,
    'Ada activated revision 3 of the rules of the agent bot, in place of revision 2',
    'Ada archived the escalation path refunds',
    `Ada suspended the member ${id}, although 2 escalation paths still name them`,
    'Ada removed their own second factor',
    `Ada added 2 members to the team ${id}, and removed 1 member`,
    'Ada granted 2 permissions for 1 agent to the team t-1',
    'Countersign refused a sign-in of the member m-1 (wrong password)',
    'Ada changed settings of the organization: claim_timeout, name',
  ]);
});

test('print names in quotes that no name can close', () => {
  const parts = eventSentence(event('agent.created', { name: 'Bot” approved “x' }));
  expect(printed(parts)).toBe('“Ada” created the agent “Bot" approved "x”');
});

test('belong to the agent that they name', () => {
  const by = { subjectId: 'bot' };
  expect(isAboutAgent(event('agent.created', {}, by), 'bot')).toBe(true);
  expect(isAboutAgent(event('agent.created', {}, { subjectId: 'bot-2' }), 'bot')).toBe(false);
  expect(isAboutAgent(event('agent_credential.issued', { agent_slug: 'bot' }), 'bot')).toBe(true);
  expect(isAboutAgent(event('agent_credential.issued', { agent_slug: 'bot-2' }), 'bot')).toBe(
    false,
  );
});
