/** Sends plain-text email over SMTP. */
import { createTransport } from 'nodemailer';

export interface Email {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /**
   * The same for every attempt of this message, so that receivers can detect repeats. One word;
   * random by default.
   */
  readonly id?: string;
  /** A word shared by all messages of one conversation. */
  readonly thread?: string;
}

/**
 * The mail server rejects the message permanently, or `to` is no address. A retry would fail too.
 */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';

  constructor(
    message: string,
    /** What it refuses. */
    readonly refused: 'sender' | 'mailbox' | 'message',
  ) {
    super(message);
  }
}

export interface Mailer {
  /**
   * Resolves once the mail server accepts the message. Rejects after some seconds without an
   * response, with MailRefused when a retry cannot help.
   */
  send(email: Email): Promise<void>;
  close(): void;
}

/** How long one message may take. */
const TIMEOUT_MS = 8_000;
/** Connections to the mail server, kept open between messages. */
const MAIL_CONNECTIONS = 8;
/** No character with a meaning in a header or an SMTP command, apart from the address itself. */
const ADDRESS = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()\\,;"@\p{Cc}]+$/u;

/** `url`: smtp:// or smtps://, with credentials if the server requires them. */
export function openMailer(url: string, from: string, timeoutMs = TIMEOUT_MS): Mailer {
  const timeouts = {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    send: async ({ to, subject, text, id, thread }) => {
      if (!ADDRESS.test(to))
        throw new MailRefused('the recipient is not one email address', 'mailbox');
      const message = {
        from,
        // As an object, the address is never parsed for a second one.
        to: { name: '', address: to },
        subject: headerText(subject),
        text,
        ...(id !== undefined && { messageId: `<${id}@${domain}>` }),
        ...(thread !== undefined && {
          inReplyTo: `<${thread}@${domain}>`,
          references: `<${thread}@${domain}>`,
        }),
        // Exchange sends "out of office" for mail that has only the first.
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        // The other timeouts restart with each line, so a slow server could hold the connection
        // forever.
        signal: AbortSignal.timeout(timeoutMs),
      };
      await transport.sendMail(message).catch((error: unknown) => {
        throw refusalOf(error) ?? error;
      });
    },
    close: () => {
      transport.close();
    },
  };
}

/**
 * Foreign text on one line. Mail programs decode `=?utf-8?B?…?=`, which nodemailer passes on as it is, so that the reader
 * would see another text than the one that was checked.
 */
const headerText = (text: string): string =>
  text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/=(?=\?)/g, '= ');

/**
 * A 5xx response to the sender, the recipient or the message. A 5xx response before that, such as to
 * the sign-in, is a problem of the connection.
 */
function refusalOf(error: unknown): MailRefused | undefined {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error))
    return undefined;
  const { responseCode, command } = error;
  if (typeof responseCode !== 'number' || responseCode < 500 || typeof command !== 'string')
    return undefined;
  const refused = REFUSED_AT[command];
  return refused && new MailRefused(error.message, refused);
}

const REFUSED_AT: Readonly<Record<string, MailRefused['refused']>> = {
  'MAIL FROM': 'sender',
  'RCPT TO': 'mailbox',
  DATA: 'message',
};
