/** Sends plain-text email over SMTP. */
import { createTransport } from 'nodemailer';

export interface Email {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves once the mail server has taken the message; rejects when it does not within seconds. */
  send(email: Email): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 8_000;

/** `url`: smtp:// or smtps://, with credentials if the server wants them. */
export function openMailer(url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return {
    send: async ({ to, subject, text }) => {
      // As an object the address is taken as it is: a comma in it names no second recipient.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    },
    close: () => {
      transport.close();
    },
  };
}
