/** A real SMTP server on loopback that keeps its mail, and misbehaves on demand. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { until } from '../waiting.ts';

export interface ReceivedMail {
  /** The envelope: its real sender and recipients. */
  readonly from: string;
  readonly to: readonly string[];
  /** Names in lower case, in the order received, decoded. */
  readonly headers: readonly (readonly [string, string])[];
  readonly subject: string;
  readonly text: string;
  /** It came over TLS. */
  readonly secure: boolean;
  /** The user who signed in to send it. */
  readonly user: string | undefined;
}

export interface MailServerOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** Requires this user. Default: no one has to sign in. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Offers STARTTLS with an untrusted certificate. */
  readonly startTls?: boolean;
  /** Refuses every recipient. */
  readonly refusesRecipients?: boolean;
  /** Called for each message: where it is refused, and with which code. */
  readonly refusal?: {
    readonly at?: 'MAIL FROM' | 'RCPT TO' | 'DATA' | undefined;
    readonly code?: number | undefined;
  };
  /** Accepts connections and never responds. */
  readonly silent?: boolean;
  /** Accepts messages and never confirms them. */
  readonly neverConfirms?: boolean;
}

export interface MailServer {
  /** For SMTP_URL, with the credentials it requires. */
  readonly url: string;
  readonly port: number;
  /** Oldest first. */
  readonly mails: readonly ReceivedMail[];
  /** The newest mail to the address, once there are `count` of them. */
  mailTo(address: string, count?: number): Promise<ReceivedMail>;
  /** From now on this recipient is refused. */
  refuse(address: string): void;
  close(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const unknownAddresses = new Set<string>();
  const { credentials } = options;
  const server = new SMTPServer({
    logger: false,
    closeTimeout: 1,
    disableReverseLookup: true,
    disabledCommands: [...(credentials ? [] : ['AUTH']), ...(options.startTls ? [] : ['STARTTLS'])],
    allowInsecureAuth: true,
    onConnect: (_session, done) => {
      if (!options.silent) done();
    },
    onAuth: ({ username, password }, _session, done) => {
      const right = username === credentials?.user && password === credentials?.password;
      if (right) done(null, { user: username });
      else done(new Error('wrong user or password'));
    },
    onMailFrom: (_address, _session, done) => {
      done(refusedAt('MAIL FROM', options));
    },
    onRcptTo: ({ address }, _session, done) => {
      done(
        options.refusesRecipients || unknownAddresses.has(address)
          ? Object.assign(new Error('no such mailbox'), { responseCode: 550 })
          : refusedAt('RCPT TO', options),
      );
    },
    onData: (stream, { envelope, secure, user }, done) => {
      const keep = (source: Buffer): void => {
        const refused = refusedAt('DATA', options);
        if (refused) {
          done(refused);
          return;
        }
        const from = envelope.mailFrom === false ? '' : (envelope.mailFrom?.address ?? '');
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({
          from,
          to,
          ...parseMail(source),
          secure,
          user: user === undefined ? undefined : String(user),
        });
        if (!options.neverConfirms) done();
      };
      buffer(stream).then(keep, done);
    },
  });
  // In some tests a client hangs up in the middle.
  server.on('error', () => undefined);
  const listening = server.listen(options.port ?? 0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const login = credentials
    ? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
    : '';
  const sentTo = (address: string): ReceivedMail[] =>
    mails.filter(({ to }) => to.includes(address));
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    port,
    mails,
    mailTo: async (address, count = 1) => {
      await until(`${count} mails to ${address}`, () => sentTo(address).length >= count);
      const mail = sentTo(address).at(-1);
      if (!mail) throw new Error('no mail');
      return mail;
    },
    refuse: (address) => {
      unknownAddresses.add(address);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}

function refusedAt(at: string, { refusal }: MailServerOptions): Error | null {
  return refusal?.at === at
    ? Object.assign(new Error('refused by the test'), { responseCode: refusal.code })
    : null;
}

/** One part of plain text, because the service sends nothing else. */
function parseMail(source: Buffer): Pick<ReceivedMail, 'headers' | 'subject' | 'text'> {
  const [head = '', ...body] = source.toString('utf8').split('\r\n\r\n');
  const headers = head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map(
      (line) =>
        [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          decodeWords(line.slice(line.indexOf(':') + 1).trim()),
        ] as const,
    );
  const valueOf = (name: string): string =>
    headers.find(([candidate]) => candidate === name)?.[1] ?? '';
  const text = decodeBody(
    body.join('\r\n\r\n'),
    valueOf('content-transfer-encoding').toLowerCase(),
  );
  return { headers, subject: valueOf('subject'), text: text.replaceAll('\r\n', '\n').trimEnd() };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable'
    ? decodeQuotedPrintable(body.replaceAll(/=\r\n/g, ''))
    : body;
}

function decodeQuotedPrintable(text: string): string {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  ).toString('utf8');
}

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. White space between two such words does not count. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_all, kind: string, word: string) => {
      return kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuotedPrintable(word.replaceAll('_', ' '));
    });
}
