/** What people prove themselves with, as it stands in a body: an email address and passwords. */
import { z } from 'zod';

export const email = () =>
  z.email().max(254).meta({ description: 'An email address; upper and lower case are the same.' });

/** The shape of a new password; `requireAcceptablePassword` of the services also refuses the guessable ones. */
export const newPassword = () =>
  z.string().min(12).max(128).meta({
    description:
      'The new password: 12 to 128 characters, any of them. Refused are the most common passwords, repeated or with digits around them, and names of the person or the organization.',
    format: 'password',
  });

/** Short enough that nobody makes us hash megabytes, and otherwise whatever was once accepted. */
export const presentedPassword = () =>
  z.string().min(1).max(1024).meta({ description: 'The password.', format: 'password' });
