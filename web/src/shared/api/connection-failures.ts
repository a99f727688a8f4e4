/** Why a connection to another system gave no response, in words, and what to do about it. */
import type { components } from './openapi.d.ts';

type ErrorCause = NonNullable<components['schemas']['NotificationTest']['error_cause']>;

/** What went wrong, and what to do about it. */
export interface FailureText {
  readonly fact: string;
  readonly advice: string;
}

export const failure = (fact: string, advice: string): FailureText => ({ fact, advice });

export const connectionFailures: Readonly<Record<ErrorCause, FailureText>> = {
  dns: failure(
    'The host name was not found.',
    'Check the name in the URL, and that the service can look it up.',
  ),
  refused: failure('Nothing listens at this address.', 'Check the port, and start the receiver.'),
  unreachable: failure(
    'There is no route to this address.',
    'Check the network and its firewalls.',
  ),
  certificate: failure(
    'The certificate of the receiver is not trusted, has expired, or is for another name.',
    'Renew the certificate, or correct the host in the URL.',
  ),
  tls: failure('The receiver does not speak TLS at this port.', 'Check the port in the URL.'),
  reset: failure(
    'The receiver closed the connection before its response was complete.',
    'Look at the logs of the receiver, and of the proxies before it.',
  ),
  timeout: failure('The receiver was too slow.', 'Let it respond before it does its work.'),
  protocol: failure('The receiver does not speak HTTP.', 'Check the port in the URL.'),
};
