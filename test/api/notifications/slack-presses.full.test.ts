/** What happens between a press of a button in Slack and the answer to its person. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Trx } from '../../../src/platform/postgres.ts';
import type { ApiResponse } from '../../support/http.ts';
import {
  asked,
  click,
  createDecider,
  createScene,
  link,
  newUser,
  slackForFile,
} from '../../support/scene/slack-scene.ts';
import { buttonsOf, type OpenedForm, type SlackPost } from '../../support/servers/slack-server.ts';
import { until, untilBlocked } from '../../support/waiting.ts';

const { app, slack } = await slackForFile();
const here = await createScene(app, slack);

beforeEach(() => {
  slack.misbehavior.clear();
});

const read = async (id: string) => (await here.reviewer.http.get(`/api/v1/requests/${id}`)).body;
const interact = async (form: string): Promise<ApiResponse> =>
  await here.caller.send('/auth/slack/interactions', form);

/** Whether an attempt at the press has failed. */
const hasFailed = (id: string) =>
  app.log.some((line) => line.includes(id) && line.includes('is tried again'));

/** What waits for a lock of this transaction fails, as after the longest wait for one. */
const endWaits = async (trx: Trx) => {
  await trx.raw(
    `select pg_cancel_backend(pid) from pg_locks
      where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
  );
};

/** Presses the button that asks for a note, and returns the form that opens. */
async function openForm(post: SlackPost, user = here.slackUser): Promise<OpenedForm> {
  const before = slack.forms.length;
  const pressed = await here.caller.click(user, buttonsOf(post)['Deny with a note']);
  expect(pressed).toMatchObject({ status: 200, text: '' });
  await until('the form opens', () => slack.forms.length > before);
  return slack.forms.at(-1) ?? { triggerId: '', view: {} };
}

/** As another process records it. */
async function recordPress(request_id: string, { ageSeconds = 0 } = {}): Promise<void> {
  const { teamId: team_id } = here.workspace;
  const [channel_id] = await app.db('slack_connections').where({ team_id }).pluck('channel_id');
  await app.db('slack_presses').insert({
    id: randomUUID(),
    channel_id,
    press_key: Buffer.from(randomUUID()),
    slack_user_id: here.slackUser,
    is_foreign: false,
    request_id,
    action: 'approve',
    trigger_id: '',
    response_url: `${slack.url}/response/1`,
    received_at: app.db.raw(`clock_timestamp() - ? * interval '1 second'`, [ageSeconds]),
    due_at: app.db.raw('clock_timestamp()'),
  });
}

describe('a press in Slack', () => {
  test('is acknowledged at once while its request is locked, and its outcome is told afterwards', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await app.db.transaction(async (trx) => {
      await trx('approval_requests').where({ id }).forUpdate().first('id');
      // The lock ends with this transaction, and no wait for it has, so an acknowledgment did not wait for it.
      const pressed = await here.caller.click(here.slackUser, buttonsOf(post)['Approve']);
      expect([pressed.status, hasFailed(id)]).toEqual([200, false]);
      await untilBlocked(trx);
      expect(slack.ephemeralTexts).toHaveLength(said);
    });
    expect(await slack.ephemeralText(said + 1)).toBe(`Approved by ${here.reviewer.displayName}.`);
    expect((await read(id))['status']).toBe('approved');
  });

  test('that outlasts the wait for a lock is tried again: it decides once, and is told once', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await app.db.transaction(async (trx) => {
      await trx('approval_requests').where({ id }).forUpdate().first('id');
      await here.caller.click(here.slackUser, buttonsOf(post)['Deny']);
      await untilBlocked(trx);
      await until('an attempt has failed', async () => {
        await endWaits(trx);
        return hasFailed(id);
      });
    });
    expect(await slack.ephemeralText(said + 1)).toBe(`Denied by ${here.reviewer.displayName}.`);
    expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
  });

  test('that fails to the end is told as a failure, once, and logged', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await app.db.transaction(async (trx) => {
      await trx('approval_requests').where({ id }).forUpdate().first('id');
      await here.caller.click(here.slackUser, buttonsOf(post)['Approve']);
      await untilBlocked(trx);
      await app.db('slack_presses').where({ request_id: id }).update({ attempts: 9 });
      // This attempt is the first, and the next is the last.
      await until('it is told', async () => {
        await endWaits(trx);
        return slack.ephemeralTexts.length > said;
      });
    });
    expect(await slack.ephemeralText(said + 1)).toContain('could not be recorded');
    expect(app.log.some((line) => line.includes(id) && line.includes('"level":"error"'))).toBe(
      true,
    );
    await until('it is not tried again', async () => {
      const [due] = await app.db('slack_presses').where({ request_id: id }).pluck('due_at');
      return due === null;
    });
    expect((await read(id))['status']).toBe('pending');
    expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
  });

  test('sent again by Slack with a new signature decides and answers once', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    const trigger = randomUUID();
    for (let time = 0; time < 3; time++) {
      // Fields that Slack adds change the signature, not the press.
      const form = `${here.caller.clickForm(here.slackUser, buttonsOf(post)['Deny'], trigger)}&time=${time}`;
      expect((await interact(form)).status).toBe(200);
    }
    await slack.ephemeralText(said + 1);
    await click(here, post, 'Approve');
    expect(slack.ephemeralTexts.slice(said)).toEqual([
      `Denied by ${here.reviewer.displayName}.`,
      `This request is already closed. Denied by ${here.reviewer.displayName}.`,
    ]);
    expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
  });

  test('counts, whatever its trigger has in it', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    const form = here.caller.clickForm(here.slackUser, buttonsOf(post)['Deny'], '\0 \ud800');
    expect((await interact(form)).status).toBe(200);
    expect(await slack.ephemeralText(said + 1)).toBe(`Denied by ${here.reviewer.displayName}.`);
    expect((await read(id))['status']).toBe('denied');
  });

  test('that its process did not get to is handled by another one', async () => {
    const { id, post } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await recordPress(id);
    expect(await slack.ephemeralText(said + 1)).toBe(`Approved by ${here.reviewer.displayName}.`);
    expect(buttonsOf(post)).toHaveProperty('Approve');
  });

  test('from before the link of its person decides nothing: someone else may have signed it', async () => {
    const { id } = await asked(here);
    const said = slack.ephemeralTexts.length;
    await recordPress(id, { ageSeconds: 3_600 });
    expect(await slack.ephemeralText(said + 1)).toContain(
      `now linked to ${here.reviewer.displayName}, and was not when you pressed`,
    );
    expect((await read(id))['status']).toBe('pending');
  });

  test('of a message for one member is refused by name once its Slack user is another’s', async () => {
    const scene = await createScene(app, slack);
    const { id, post } = await asked(scene);
    const before = slack.forms.length;
    await scene.caller.click(scene.slackUser, buttonsOf(post)['Deny with a note']);
    await until('the form opens', () => slack.forms.length > before);
    const form = slack.forms.at(-1) ?? { triggerId: '', view: {} };
    const other = await createDecider(app, scene.organization, scene.agent);
    await scene.caller.command(scene.slackUser, 'unlink');
    await link(scene.caller, other, scene.slackUser);
    const refusal = `This was sent to ${scene.reviewer.displayName}. Your Slack account is now linked to ${other.displayName}, so nothing was decided.`;
    for (const label of ['Approve', 'Deny'] as const)
      expect(await click(scene, post, label)).toContain(refusal);
    const said = slack.ephemeralTexts.length;
    await scene.caller.submit(scene.slackUser, form, 'As the one before.');
    expect(await slack.ephemeralText(said + 1)).toContain(refusal);
    expect(await app.db('decisions').where({ request_id: id })).toEqual([]);
  });

  test('whose answer Slack no longer takes there is answered in the conversation with the bot', async () => {
    const { id, post } = await asked(here);
    const form = new URLSearchParams(
      here.caller.clickForm(here.slackUser, buttonsOf(post)['Approve']),
    );
    const payload = JSON.parse(form.get('payload') ?? '{}') as Record<string, unknown>;
    const gone = { ...payload, response_url: `${slack.url}/gone/1` };
    expect((await interact(`payload=${encodeURIComponent(JSON.stringify(gone))}`)).status).toBe(
      200,
    );
    await until('the bot says it', () =>
      slack.posts.some(({ text }) => text === `Approved by ${here.reviewer.displayName}.`),
    );
    expect(slack.posts.at(-1)?.channel).toBe(`D${here.slackUser}`);
    expect((await read(id))['status']).toBe('approved');
  });

  test('leaves a slash command that waits for a lock acknowledged in time, and its outcome is told', async () => {
    const said = slack.ephemeralTexts.length;
    const user = newUser();
    const begun = await here.organization.owner.browser.post('/api/v1/me/slack/link');
    await app.db.transaction(async (trx) => {
      await trx('organizations').where({ id: here.organization.id }).forUpdate().first('id');
      const form = here.caller.commandForm(user, `link ${String(begun.body['code'])}`);
      // The lock ends with this transaction, so an acknowledgment did not wait for it.
      const answer = await here.caller.send('/auth/slack/commands', form);
      expect(answer.body['text']).toContain('The outcome follows here');
    });
    expect(await slack.ephemeralText(said + 1)).toContain('is now linked');
  });
});

describe('a note', () => {
  test('is written in a form: the agent, the record and the message get it', async () => {
    const { id, post } = await asked(here);
    const form = await openForm(post);
    expect((await read(id))['status']).toBe('pending');
    const said = slack.ephemeralTexts.length;
    const note = 'Not a refund we owe.\nSee <ticket> & "order" 12.';
    const sent = await here.caller.submit(here.slackUser, form, note);
    expect(sent).toMatchObject({ status: 200, text: '' });
    expect(await slack.ephemeralText(said + 1)).toBe(`Denied by ${here.reviewer.displayName}.`);
    expect(await read(id)).toMatchObject({
      status: 'denied',
      decision: { status: 'denied', note, channel: 'slack' },
    });
  });

  test('is acknowledged at once while the request is locked', async () => {
    const { id, post } = await asked(here);
    const form = await openForm(post);
    const said = slack.ephemeralTexts.length;
    await app.db.transaction(async (trx) => {
      await trx('approval_requests').where({ id }).forUpdate().first('id');
      const sent = await here.caller.submit(here.slackUser, form, 'No.');
      expect([sent.status, hasFailed(id)]).toEqual([200, false]);
      await untilBlocked(trx);
    });
    await slack.ephemeralText(said + 1);
    expect((await read(id))['decision']).toMatchObject({ status: 'denied', note: 'No.' });
  });

  test('may be empty, and one that is too long decides nothing', async () => {
    const { id, post } = await asked(here);
    const form = await openForm(post);
    let said = slack.ephemeralTexts.length;
    await here.caller.submit(here.slackUser, form, 'n'.repeat(4_001));
    expect(await slack.ephemeralText(said + 1)).toContain('nothing was decided');
    expect((await read(id))['status']).toBe('pending');
    said = slack.ephemeralTexts.length;
    await here.caller.submit(here.slackUser, form, null);
    await slack.ephemeralText(said + 1);
    const { decision } = await read(id);
    expect(decision?.['status']).toBe('denied');
    expect(decision).not.toHaveProperty('note');
  });

  test('by someone who is not linked is refused, and no form opens for them', async () => {
    const { id, post } = await asked(here);
    const form = await openForm(post);
    const opened = slack.forms.length;
    let said = slack.ephemeralTexts.length;
    await here.caller.click(newUser(), buttonsOf(post)['Deny with a note']);
    expect(await slack.ephemeralText(said + 1)).toContain('not linked to a member');
    expect(slack.forms).toHaveLength(opened);
    said = slack.ephemeralTexts.length;
    await here.caller.submit(newUser(), form, 'Mine now.');
    expect(await slack.ephemeralText(said + 1)).toContain('not linked to a member');
    expect((await read(id))['status']).toBe('pending');
  });

  test('whose form Slack does not open is said to the person', async () => {
    const { id, post } = await asked(here);
    slack.misbehavior.set('views.open', { kind: 'error', error: 'expired_trigger_id' });
    const said = slack.ephemeralTexts.length;
    await here.caller.click(here.slackUser, buttonsOf(post)['Deny with a note']);
    expect(await slack.ephemeralText(said + 1)).toContain('nothing was decided');
    expect((await read(id))['status']).toBe('pending');
  });
});
