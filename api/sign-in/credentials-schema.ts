/** Schemas of email addresses and passwords in bodies. */
import { z } from 'zod';
import { isHostName } from '../../src/platform/network/host-names.ts';

export const email = () =>
  z
    .email({ abort: true })
    .max(254)
    .refine((text) => isHostName(text.slice(text.indexOf('@') + 1)), {
      error: 'must have a domain whose parts neither begin nor end with a hyphen',
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
