import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openMailer, type Mailer } from '../../src/platform/mailer.ts';
import {
  startMailServer,
  type MailServer,
  type MailServerOptions,
} from '../support/servers/mail-server.ts';

const FROM = 'Countersign <countersign@example.com>';
const email = { to: 'ada@example.com', subject: 'Hello', text: 'A line.\nAnother one.' };

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

async function start(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  open.push(server);
  return server;
}

function mailer(url: string, from = FROM, timeoutMs = 60_000): Mailer {
  const opened = openMailer(url, from, timeoutMs);
  open.push(opened);
  return opened;
}

describe('a mailer', () => {
  test.each([
    ['=?utf-8?B?UGFpZA==?=', '= ?utf-8?B?UGFpZA== ?='],
    ['Approve =?UTF-8?q?=41?= now', 'Approve = ?UTF-8?q?=41?= now'],
    ['Grüße für =?utf-8?B?QQ==?= \u{1f4b8}', 'Grüße für = ?utf-8?B?QQ== ?= \u{1f4b8}'],
    ['=\n?utf-8?B?QQ==?=', '= ?utf-8?B?QQ== ?='],
  ])(
    'a subject of %j is shown as it is: a mail program decodes nothing in it',
    async (subject, shown) => {
      const server = await start();
      await mailer(server.url).send({ ...email, subject });
      expect(server.mails[0]?.subject).toBe(shown);
      await server.close();
    },
  );

  test('delivers the message as written, including letters of any script', async () => {
    const server = await start();
    const subject =
      'Grüße aus 東京, and a subject that is much longer than one line of a header may be according to the standard';
    const text = `Straße 東京 = 100 %\n\n.\n..leading dots\n${'a very long line '.repeat(100).trim()}\nhttps://countersign.example/password/reset/whr_abc=def`;
    await mailer(server.url).send({ to: 'ada@example.com', subject, text });
    const mail = await server.mailTo('ada@example.com');
    expect([mail.from, mail.to, mail.subject, mail.text]).toEqual([
      'countersign@example.com',
      ['ada@example.com'],
      subject,
      text,
    ]);
    expect(Object.fromEntries(mail.headers)).toMatchObject({ from: FROM, to: 'ada@example.com' });
    expect([mail.secure, mail.user]).toEqual([false, undefined]);
  });

  test('signs in where the server requires it, and fails with wrong credentials', async () => {
    const server = await start({ credentials: { user: 'counter@sign', password: 'p/w:d?#' } });
    await mailer(server.url).send(email);
    expect((await server.mailTo('ada@example.com')).user).toBe('counter@sign');
    await expect(mailer(server.url.replace('p%2F', 'x%2F')).send(email)).rejects.toThrow();
    await expect(mailer(`smtp://127.0.0.1:${server.port}`).send(email)).rejects.toThrow();
    expect(server.mails).toHaveLength(1);
  });

  test('uses TLS where the server offers it, and accepts no unverified certificate unless configured to', async () => {
    const server = await start({ startTls: true });
    await expect(mailer(server.url).send(email)).rejects.toThrow();
    expect(server.mails).toEqual([]);
    await mailer(`${server.url}?tls.rejectUnauthorized=false`).send(email);
    expect((await server.mailTo('ada@example.com')).secure).toBe(true);
  });

  test('fails when the server refuses the recipient, and still sends the next message', async () => {
    const refusing = await start({ refusesRecipients: true });
    await expect(mailer(refusing.url).send(email)).rejects.toThrow();
    const server = await start();
    const sender = mailer(server.url);
    await expect(sender.send({ ...email, to: 'not an address' })).rejects.toThrow();
    await sender.send(email);
    await server.mailTo('ada@example.com');
    expect(server.mails).toHaveLength(1);
  });

  test('fails at once when there is no server, and recovers when there is one again', async () => {
    const first = await start();
    const sender = mailer(first.url);
    await sender.send(email);
    await first.close();
    await expect(sender.send(email)).rejects.toThrow();
    const second = await start({ port: first.port });
    await sender.send({ ...email, subject: 'Back' });
    expect(second.mails.map(({ subject }) => subject)).toEqual(['Back']);
  });

  test('fails after its time limit when the server never answers, never confirms, or never stops', async () => {
    const babbler = createServer((socket) => {
      const timer = setInterval(() => socket.write('220-still greeting\r\n'), 200);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          clearInterval(timer);
        });
    }).listen(0, '127.0.0.1');
    await once(babbler, 'listening');
    open.push(babbler);
    const ports = [
      (await start({ silent: true })).port,
      (await start({ neverConfirms: true })).port,
      (babbler.address() as AddressInfo).port,
    ];
    const sent = ports.map((port) => mailer(`smtp://127.0.0.1:${port}`, FROM, 500).send(email));
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
  });

  test.each([
    ['the subject', { subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nother text' }],
    ['the subject, by bare line feeds', { subject: 'Hello\nBcc: eve@example.com' }],
    ['the recipient', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
    ['the recipient, by a list', { to: 'ada@example.com, eve@example.com' }],
    ['the recipient, by a name', { to: 'Eve <eve@example.com>' }],
    ['the recipient, by a command', { to: 'ada@example.com>\r\nRCPT TO:<eve@example.com' }],
    [
      'the text',
      {
        text: 'Hello\r\n.\r\nMAIL FROM:<x@example.com>\r\nRCPT TO:<eve@example.com>\r\nDATA\r\nHi\r\n.\r\n',
      },
    ],
  ])('refuses to add a recipient or a header through %s', async (_where, part) => {
    const server = await start();
    await mailer(server.url)
      .send({ ...email, ...part })
      .catch(() => undefined);
    // Once this message has arrived, all earlier ones have.
    await mailer(server.url).send({ ...email, to: 'last@example.com' });
    await server.mailTo('last@example.com');
    expect(server.mails.flatMap(({ to }) => to)).not.toContain('eve@example.com');
    for (const { headers, to } of server.mails) {
      expect(to).toHaveLength(1);
      expect(headers.map(([name]) => name)).not.toContain('bcc');
    }
  });
});

test('the mail server of the tests is gone once it is closed', async () => {
  const server = await start();
  await server.close();
  const socket = connect(server.port, '127.0.0.1');
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
});
