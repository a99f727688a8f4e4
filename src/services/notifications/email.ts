/**
 * Sends notifications by email. All attempts at one message carry the same Message-ID, so a
 * recipient can recognize a duplicate.
 */
import {
  EMAIL_ROOM,
  notifiedSubject,
  notifiedText,
} from '../../domain/notifications/email-message.ts';
import { digestText, digestTitle } from '../../domain/notifications/digests.ts';
import {
  ranDifferentlySubject,
  ranDifferentlyText,
} from '../../domain/notifications/ran-differently-messages.ts';
import {
  unreachableSubject,
  unreachableText,
} from '../../domain/notifications/unreachable-messages.ts';
import { shownLine } from '../../domain/shown-text.ts';
import { MailRefused, type Email } from '../../platform/mailer.ts';
import { codesOf, connectionFault } from '../../platform/network/connection-faults.ts';
import type { Runtime } from '../context.ts';
import { excerptOfText } from '../webhooks/signed-post.ts';
import { textOfRequest } from './shown-request.ts';
import type { SendContext, SendStatements } from './statements.ts';
import type { ChannelSender, Delivery, SendOutcome, TestMessage, TestOutcome } from './sender.ts';

export const emailSender: ChannelSender = { send, sendTest };

async function send({ mailer, statements }: SendContext, delivery: Delivery): Promise<SendOutcome> {
  if (!mailer) return { kind: 'dropped', reason: 'not_configured' };
  const written = await writtenAs(statements, delivery);
  if (!written) return { kind: 'dropped', reason: 'not_configured' };
  try {
    await mailer.send({
      ...written,
      id: delivery.id,
      ...(delivery.event !== 'digest' && { thread: delivery.request.id }),
    });
    return { kind: 'delivered' };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): SendOutcome {
  if (error instanceof MailRefused)
    return {
      kind: 'failed',
      error: error.message,
      cause: `${error.refused}_refused`,
      permanent: true,
    };
  if (!(error instanceof Error)) throw error;
  const cause = mailCause(error);
  return { kind: 'failed', error: error.message, ...(cause !== undefined && { cause }) };
}

/** The sign-in is part of the connection, so it is tried again. */
function mailCause(error: Error): string | undefined {
  if (codesOf(error).includes('EAUTH')) return 'sign_in_refused';
  if ('responseCode' in error && typeof error.responseCode === 'number') return 'busy';
  return error.name === 'TimeoutError' || error.name === 'AbortError'
    ? 'timeout'
    : connectionFault(error);
}

/** Undefined for a message that no one gets by email. */
async function writtenAs(
  statements: SendStatements,
  delivery: Delivery,
): Promise<Pick<Email, 'to' | 'subject' | 'text'> | undefined> {
  switch (delivery.event) {
    case 'notified': {
      const own = await statements.ownView(delivery.request);
      const call = textOfRequest(delivery.request, own, EMAIL_ROOM);
      const message = { ...delivery, call, now: new Date() };
      return {
        to: delivery.recipient.email,
        subject: notifiedSubject(message),
        text: notifiedText(message),
      };
    }
    case 'unreachable':
      return {
        to: delivery.recipient.email,
        subject: unreachableSubject(delivery),
        text: unreachableText(delivery, delivery.recipient),
      };
    case 'ran_differently':
      return {
        to: delivery.recipient.email,
        subject: ranDifferentlySubject(delivery.request),
        text: ranDifferentlyText(delivery, delivery.recipient),
      };
    case 'digest': {
      const { count, url, recipient } = delivery;
      return (
        recipient && {
          to: recipient.email,
          subject: digestTitle(count),
          text: digestText({ count, url, recipient }),
        }
      );
    }
    case 'announced':
    case 'unreachable_announced':
    case 'decided':
      return undefined;
  }
}

async function sendTest(
  { mailer, logger }: Runtime,
  { recipient, channelId }: TestMessage,
): Promise<TestOutcome> {
  if (!mailer) return { delivered: false, errorCode: 'email_not_configured' };
  try {
    await mailer.send({
      to: recipient.email,
      subject: 'Test message from Countersign',
      text: [
        `Hello ${shownLine(recipient.displayName)},`,
        '',
        'Email notifications from Countersign reach you. There is nothing for you to do.',
      ].join('\n'),
    });
    return { delivered: true };
  } catch (error) {
    logger.info({ err: error, channelId }, 'a test message was not delivered');
    const excerpt = error instanceof Error ? excerptOfText(error.message) : undefined;
    return { delivered: false, errorCode: 'email_not_delivered', ...(excerpt && { excerpt }) };
  }
}
