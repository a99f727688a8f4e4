/** Schemas of email addresses and passwords in bodies. */
import { z } from 'zod';
import { isHostName } from '../../src/platform/network/host-names.ts';

/** Why a text that looks like an address is refused. Undefined for other texts. */
function adviceFor(text: string): string | undefined {
  const [, name = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? [];
  if (!isAscii(name)) return 'must have only ASCII characters before the @';
  if (!isAscii(domain))
    return 'must have its domain in ASCII, such as ada@xn--mller-kva.de for ada@müller.de';
  if (domain !== '' && !domain.includes('.'))
    return 'must have a domain with a dot, such as ada@example.com';
  return undefined;
}

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

export const email = () =>
  z
    .email({
      abort: true,
      error: ({ input }) => (typeof input === 'string' ? adviceFor(input) : undefined),
    })
    .max(254)
    .refine((text) => isHostName(text.slice(text.indexOf('@') + 1)), {
      error:
        'must have a domain whose parts have at most 63 characters and neither begin nor end with a hyphen',
    })
    .meta({ description: 'An email address. Case does not matter.' });

/** A new password. The service function `requireAcceptablePassword` also refuses guessable ones. */
export const newPassword = () =>
  z.string().min(12).max(128).meta({
    description:
      'The new password: 12 to 128 characters of any kind. Common passwords are refused, also repeated or with digits around them, and so are names of the person or the organization.',
    format: 'password',
  });

/** The limit bounds the hashing work. It accepts every password that was ever valid. */
export const presentedPassword = () =>
  z.string().min(1).max(1024).meta({ description: 'The password.', format: 'password' });
