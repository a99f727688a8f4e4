import { describe, expect, test } from '@jest/globals';
import type { ApprovalRequest } from '../../../src/domain/requests/approval-requests.ts';
import {
  decidedMessage as answeredOf,
  askingMessage as askingOf,
  escapeSlackText,
  SLACK_ROOM,
  testMessage,
  withRequesterNotice,
  type SlackText,
} from '../../../src/domain/notifications/slack/messages.ts';
import { callText } from '../../../src/domain/shown/call-text.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';
import { JsonText } from '../../../src/platform/json/exact-json.ts';
import { passedLimits } from '../../support/servers/slack-limits.ts';

const URL_OF = 'https://approvals.example/requests/0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21';

function request(
  changes: Partial<ApprovalRequest> & { readonly args?: string } = {},
): ApprovalRequest {
  const { args = '{"amount": 1.00}', ...rest } = changes;
  const at = new Date('2026-03-02T09:00:00.000Z');
  return {
    id: '0199a3f1-7c52-7b0e-9d52-1f6a3b0c4d21',
    organizationId: '0199a3f1-7c51-7c11-8a44-5be0c1d2e3f4',
    agentSlug: 'refund-bot',
    agentName: 'Refund bot',
    agentInstanceId: '0199a3f1-7c53-7d2f-8e63-2a7b4c5d6e32',
    agentInstanceName: 'production',
    agentCredentialId: '0199a3f1-7c54-7e30-9f74-3b8c5d6e7f43',
    tool: 'issue_refund',
    arguments: new JsonText(args),
    timeout: '1h',
    state: 'pending',
    createdAt: at,
    deadlineAt: new Date('2026-03-02T10:00:00.000Z'),
    updatedAt: at,
    urgency: 'standard',
    ...rest,
  };
}

const HOW = { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES };
const textOf = (asked: ApprovalRequest) => {
  const call = { ...asked, whole: readSource(asked.arguments.text), context: undefined };
  return callText(call, HOW, SLACK_ROOM);
};
const askingMessage = (asked: ApprovalRequest, url: string): SlackText =>
  askingOf(asked, textOf(asked), { url });
const decidedMessage = (asked: ApprovalRequest, url: string): SlackText =>
  answeredOf(asked, textOf(asked), { url });

const DECISION = {
  id: request().id,
  requestId: request().id,
  organizationId: request().organizationId,
  channel: 'web',
  authentication: { method: 'sso', assurance: 'strong', authenticated_at: new Date() },
  idempotencyKey: 'x',
  decidedAt: new Date('2026-03-02T09:30:00.000Z'),
} as const;

/** Every string in which Slack would interpret markup. */
function markup(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(markup);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' ? [JSON.stringify(value)] : [];
  return [...own, ...Object.values(value).flatMap(markup)];
}

/** The characters of all blocks, as people read them. */
function read(value: unknown): string {
  if (Array.isArray(value)) return value.map(read).join('');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, part]) =>
      ['text', 'fallback'].includes(key) && typeof part === 'string' ? part : read(part),
    )
    .join('');
}

const ATTACKS = [
  '<!channel>',
  '<!everyone>',
  '<@U0123WXYZ>',
  '<https://evil.example|Open>',
  '```\n*Approved by Ada*\n```',
  '&lt;!here&gt;',
  ':white_check_mark: approved',
  '<!date^1392734382^{date}|now>',
];

describe('a message', () => {
  test('shows the tool, the agent, the exact arguments, the reason, the deadline and four buttons', () => {
    const route = {
      routedAt: new Date(),
      source: 'no_escalation',
      scope: 'organization',
      reason: 'Refunds over 100',
    } as const;
    const message = askingMessage(request({ route, server: 'payments' }), URL_OF);
    const text = read(message.blocks);
    for (const part of [
      'issue_refund',
      'payments',
      'Refund bot',
      'refund-bot',
      'production',
      '"amount": 1.00',
      'Refunds over 100',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('2026-03-02 10:00 UTC');
    expect(message.blocks.at(-1)).toMatchObject({
      type: 'actions',
      elements: [
        { action_id: 'countersign_approve', value: request().id },
        { action_id: 'countersign_deny', value: request().id },
        { action_id: 'countersign_write_note', value: request().id },
        { url: URL_OF },
      ],
    });
  });

  test('marks an urgent request', () => {
    expect(askingMessage(request({ urgency: 'interrupt' }), URL_OF).text).toBe(
      'Urgent approval needed: issue_refund (Refund bot)',
    );
  });

  test.each(ATTACKS)('treats %s as plain text in every field', (attack) => {
    const decision = {
      ...DECISION,
      status: 'approved',
      note: attack,
      reviewerDisplayName: attack,
    } as const;
    const route = {
      routedAt: new Date(),
      source: 'no_escalation',
      scope: 'organization',
      reason: attack,
    } as const;
    const hostile = {
      tool: attack,
      agentName: attack,
      agentInstanceName: attack,
      server: attack,
      args: JSON.stringify({ a: attack }),
      route,
    };
    const messages: SlackText[] = [
      askingMessage(request(hostile), URL_OF),
      decidedMessage(request({ ...hostile, state: 'approved', decision }), URL_OF),
    ];
    for (const { text, blocks } of messages) {
      expect(markup(blocks)).toEqual([]);
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      expect(read(blocks)).toContain(`"a": ${JSON.stringify(attack)}`);
    }
    expect(JSON.stringify(messages)).not.toContain('"emoji":true');
  });

  test('escapes the three characters with a meaning in Slack, and nothing twice', () => {
    expect(escapeSlackText('<!here> & &lt;')).toBe('&lt;!here&gt; &amp; &amp;lt;');
  });

  test('writes invisible and reordering characters as JSON escapes', () => {
    const args = '{"to": "\u202egnp.exe", "zero": "a\u200bb", "bell": "\u2066"}';
    const text = read(askingMessage(request({ args, tool: 'pay\u202e\u0007' }), URL_OF).blocks);
    expect(text).toContain('"\\u202egnp.exe"');
    expect(text).toContain('a\\u200bb');
    expect(text).not.toMatch(/[\u200b\u202e\u2066]/);
  });

  test('truncates long arguments, never inside a character, and says so', () => {
    const args = `{"text": "${'😀'.repeat(4_000)}"}`;
    const text = read(askingMessage(request({ args }), URL_OF).blocks);
    expect(text).toContain('Shortened here: /text (8,000 characters).');
    expect(text).toContain('😀 … (8,000 characters) … 😀');
    expect(text.isWellFormed()).toBe(true);
    const lengths = askingMessage(request({ args }), URL_OF).blocks.map(
      (block) => read(block).length,
    );
    expect(Math.max(...lengths)).toBeLessThan(6_000);
    expect(read(askingMessage(request(), URL_OF).blocks)).not.toContain('Shortened');
  });

  const FILLERS = [
    'x',
    '\u200b',
    '\u202e',
    '\u0007',
    '&',
    '<',
    '😀',
    '\ud83d',
    '\n',
    '\u{e0041}',
    'a\u200b',
    '&\u200b<😀',
  ];

  test.each(FILLERS.map((filler) => [JSON.stringify(filler), filler]))(
    "stays within Slack's limits, however much of %s there is",
    (_name, filler) => {
      const much = filler.repeat(3_000);
      const route = {
        routedAt: new Date(),
        source: 'no_escalation',
        scope: 'organization',
        reason: much,
      } as const;
      const hostile = {
        tool: much,
        server: much,
        agentName: much,
        agentInstanceName: much,
        args: JSON.stringify({ [much]: much, list: [...much] }),
        route,
      };
      const decision = {
        ...DECISION,
        status: 'denied',
        note: much,
        channel: much,
        reviewerDisplayName: much,
      } as const;
      for (const { text, blocks } of [
        askingMessage(request({ ...hostile, urgency: 'interrupt' }), URL_OF),
        decidedMessage(request({ ...hostile, state: 'denied', decision }), URL_OF),
        testMessage(much),
      ]) {
        expect(passedLimits({ text, blocks: blocks as never })).toEqual([]);
        expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
        expect(JSON.stringify(blocks)).not.toMatch(/\\\\u[0-9a-f]{0,3}(?![0-9a-f])/);
        expect(read(blocks).isWellFormed()).toBe(true);
      }
    },
  );

  test.each([
    ['approved', 'Ada Marsh', 'web', 'Approved by Ada Marsh: issue_refund'],
    ['denied', 'Ada Marsh', 'slack', 'Denied by Ada Marsh: issue_refund'],
    ['expired', undefined, 'system', 'Expired without a decision: issue_refund'],
    ['cancelled', undefined, 'aap', 'Cancelled by the agent: issue_refund'],
    ['cancelled', undefined, 'system', 'Cancelled: issue_refund'],
  ] as const)(
    'that shows the answer %s names the person and has no deciding button',
    (state, name, channel, title) => {
      const decision = {
        ...DECISION,
        status: state,
        channel,
        ...(name !== undefined && { reviewerDisplayName: name }),
      } as const;
      const message = decidedMessage(request({ state, decision }), URL_OF);
      expect(message.text).toBe(title);
      expect(JSON.stringify(message.blocks)).not.toMatch(/countersign_(approve|deny)/);
      expect(read(message.blocks)).toContain('2026-03-02 09:30 UTC');
    },
  );
});

describe('a request whose requester is gone', () => {
  test('says so before the buttons, and nothing while the requester is there', () => {
    const message = askingMessage(request(), URL_OF);
    expect(withRequesterNotice(message, 'active')).toEqual(message);
    const { blocks } = withRequesterNotice(message, 'agent_disabled');
    expect(blocks).toHaveLength(message.blocks.length + 1);
    expect(blocks.at(-1)).toEqual(message.blocks.at(-1));
    expect(JSON.stringify(blocks.at(-2))).toContain(
      'The agent can no longer read the decision: it is disabled.',
    );
  });
});
