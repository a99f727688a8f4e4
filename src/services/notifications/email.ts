/** Notifications by email. Who got one twice can tell by its Message-ID. */
import { MailRefused } from '../../platform/mailer.ts';
import type { Runtime } from '../context.ts';
import { notifiedSubject, notifiedText } from './message.ts';
import type { ChannelSender, Delivery, SendOutcome, TestMessage, TestOutcome } from './sender.ts';

export const emailSender: ChannelSender = { send, sendTest };

async function send({ mailer }: Runtime, delivery: Delivery): Promise<SendOutcome> {
  if (!mailer || delivery.event !== 'notified')
    return { kind: 'dropped', reason: 'not_configured' };
  try {
    await mailer.send({
      to: delivery.recipient.email,
      subject: notifiedSubject(delivery),
      text: notifiedText(delivery),
      id: delivery.id,
      thread: delivery.request.id,
    });
    return { kind: 'delivered' };
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    return { kind: 'failed', error: error.message, permanent: true };
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
      subject: 'Test of notifications by email',
      text: `${recipient.displayName}, notifications by email reach you. Nobody is asked for anything.`,
    });
    return { delivered: true };
  } catch (error) {
    logger.info({ err: error, channelId }, 'a test message was not delivered');
    return { delivered: false, errorCode: 'email_not_delivered' };
  }
}
