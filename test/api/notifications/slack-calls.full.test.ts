/** Calls that claim to come from Slack. */
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import type { ApiResponse } from '../../support/http.ts';
import { now, SlackCaller } from '../../support/servers/slack-server.ts';
import { connectSlack, type ConnectedScene } from '../../support/scene/slack-connections.ts';
import { slackForFile } from '../../support/scene/slack-scene.ts';

const { app, slack, environment } = await slackForFile();
const connected = () => connectSlack(app, slack);

describe('a call that claims to come from Slack', () => {
  let scene: ConnectedScene;
  let other: ConnectedScene;
  beforeAll(async () => {
    [scene, other] = [await connected(), await connected()];
  });

  const paths = ['/auth/slack/commands', '/auth/slack/interactions'] as const;
  const formOf = (path: string): string =>
    path.endsWith('commands')
      ? scene.caller.commandForm('U1', 'help')
      : scene.caller.clickForm('U1', undefined);

  const forgeries: readonly (readonly [string, (path: string) => Promise<ApiResponse>])[] = [
    [
      'with a wrong secret',
      (path) => scene.caller.send(path, formOf(path), { secret: 'f'.repeat(32) }),
    ],
    [
      "with another organization's secret",
      (path) => scene.caller.send(path, formOf(path), { secret: other.workspace.signingSecret }),
    ],
    ['with an empty secret', (path) => scene.caller.send(path, formOf(path), { secret: '' })],
    [
      'six minutes old',
      (path) => scene.caller.send(path, formOf(path), { timestamp: now() - 360 }),
    ],
    [
      'from six minutes in the future',
      (path) => scene.caller.send(path, formOf(path), { timestamp: now() + 360 }),
    ],
    ['of no time', (path) => scene.caller.send(path, formOf(path), { timestamp: NaN })],
    [
      'with a signature of no version',
      (path) => scene.caller.send(path, formOf(path), { signature: '0'.repeat(64) }),
    ],
    [
      'with a short signature',
      (path) => scene.caller.send(path, formOf(path), { signature: 'v0=00' }),
    ],
    ['with an empty signature', (path) => scene.caller.send(path, formOf(path), { signature: '' })],
    ['without a signature', (path) => scene.caller.raw(path, formOf(path), {})],
    [
      'of an unknown workspace',
      (path) => scene.caller.send(path, formOf(path).replaceAll(scene.workspace.teamId, 'TNOBODY')),
    ],
    ['that is no form', (path) => scene.caller.send(path, '{"team_id":')],
    ['that is empty', (path) => scene.caller.send(path, '')],
  ];

  test.each(paths.flatMap((path) => forgeries.map(([what, forge]) => ({ path, what, forge }))))(
    'at $path $what is refused',
    async ({ path, forge }) => {
      const answer = await forge(path);
      expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
        status: 401,
        code: 'authentication_required',
      });
    },
  );

  test.each(paths)(
    'at %s is refused when its body, its time or one of its headers was changed',
    async (path) => {
      const body = formOf(path);
      const at = now();
      const signature = `v0=${createHmac('sha256', scene.workspace.signingSecret).update(`v0:${at}:${body}`).digest('hex')}`;
      const headers = { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature };
      expect((await scene.caller.raw(path, `${body}&x=1`, headers)).status).toBe(401);
      expect((await scene.caller.raw(path, body.replace('U1', 'U2'), headers)).status).toBe(401);
      expect(
        (
          await scene.caller.raw(path, body, {
            ...headers,
            'x-slack-request-timestamp': String(at + 1),
          })
        ).status,
      ).toBe(401);
      expect((await scene.caller.raw(path, body, headers)).status).toBe(200);
    },
  );

  test('is accepted once, whichever process gets the repetition', async () => {
    const second = await startApp({
      databaseUrl: app.databaseUrl,
      environment,
    });
    try {
      const body = scene.caller.commandForm('U1', 'help');
      const at = now();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          new SlackCaller(index % 2 ? app.url : second.url, slack, scene.workspace).send(
            '/auth/slack/commands',
            body,
            { timestamp: at },
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(9).fill(401),
      ]);
    } finally {
      await second.close();
    }
  });

  test('must be a form', async () => {
    const answer = await scene.caller.raw('/auth/slack/commands', '{}', {
      'content-type': 'application/json',
    });
    expect(answer.status).toBe(415);
  });
});
