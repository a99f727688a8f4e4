/** The setting that says which names of arguments hide their values. */
import { z } from 'zod';
import { MOST_HIDDEN_NAMES, wordsOf } from '../../src/domain/shown/hidden-names.ts';
import { label } from '../http/schema.ts';

const DEFAULTS =
  'Whether names that usually name secrets count: `password`, `passphrase`, `secret`, `token`, `api_key`, `authorization`, `cookie`, ' +
  '`private_key`, `credential` and the like.';

export const hiddenNamesSchema = z
  .strictObject({
    defaults: z.boolean().meta({ description: DEFAULTS }),
    add: z.array(z.string()).meta({ description: 'More names, such as `iban`.' }),
  })
  .meta({
    id: 'HiddenNames',
    description:
      'Which names of arguments, and of members of the context, hide their values: people see such a value when they ask for it, and messages never ' +
      'carry it. Names are read word by word, in any case: `clientSecret`, `X-Api-Key`. True, false and null are never hidden, and a number ' +
      'in `max_tokens` is not. The names also count inside texts, such as `password=…` or `Cookie: …`: there, only the secret is hidden. So are ' +
      'private keys, passwords in links and well-known tokens, whatever the names are. What a presentation marks `sensitive` is hidden, too.',
  });

const hiddenName = label(
  'A name, or several words of a name, such as `account number`.',
  100,
).refine((name) => wordsOf(name).length > 0, { error: 'must have a letter or a digit' });

export const hiddenNamesChange = z
  .strictObject({
    defaults: z.boolean().optional().meta({ description: DEFAULTS }),
    add: z
      .array(hiddenName)
      .max(MOST_HIDDEN_NAMES)
      .optional()
      .meta({ description: 'All further names. They replace those before.' }),
  })
  .meta({ description: 'Which names of arguments hide their values.' });
