/** `countersign verify-audit`: an export without the database, or the database without a file. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import type { Checkpoint } from '../src/domain/audit/checkpoints.ts';
import { keptCheckpointsFrom } from '../src/domain/audit/export-lines.ts';
import {
  BrokenProof,
  type KnownProof,
  type VerifiedExport,
  type Verifier,
} from '../src/domain/audit/verify.ts';
import type { Config } from '../src/platform/config.ts';
import { readPublicKey, verifierOf, type PublicKey } from '../src/platform/crypto/signing-key.ts';
import { OperatorError } from '../src/platform/operator-error.ts';
import { verifyDatabase, type VerifiedDatabase } from '../src/services/audit/verify-database.ts';
import { verifyExport } from '../src/services/audit/verify-export.ts';
import { auditKeyOf, keptSignedEnds } from './audit-key.ts';
import { withDatabase } from './own-database.ts';

export interface VerifyOptions {
  /** Public keys, or files with some. */
  readonly key?: readonly string[];
  /** Files with checkpoints that were kept. */
  readonly checkpoint?: readonly string[];
}

/** Resolves with the exit code: 0 when everything is right, 1 when something is not. */
export async function verifyAudit(
  config: Config,
  file: string | undefined,
  { key = [], checkpoint = [] }: VerifyOptions,
): Promise<number> {
  const keys = new Map(key.flatMap(publicKeys).map(entryOf));
  const kept = checkpoint.flatMap(keptCheckpoints);
  try {
    return file === undefined
      ? await verifyStored(config, { keys, kept })
      : await verifyFile(file, { keys, kept });
  } catch (error) {
    if (!(error instanceof BrokenProof)) throw error;
    console.error(`Broken. ${error.message}`);
    return 1;
  }
}

async function verifyFile(file: string, known: KnownProof): Promise<number> {
  if (!existsSync(file)) throw new OperatorError(`${file} cannot be read: there is no such file.`);
  const { header, ...verified } = await verifyExport(
    createReadStream(file, { highWaterMark: 256 * 1024 }),
    known,
  );
  const { position } = header.end;
  const hidden = position - verified.events;
  say(
    `Whole: positions 1 to ${position} of organization ${header.organizationId}, exported at ${header.exportedAt}.`,
    hidden === 0
      ? 'Every position shows its event.'
      : `${verified.events} show their event. ${hidden} were left out by filters and have their leaf alone: ${JSON.stringify(header.filters)}.`,
  );
  say(
    '',
    'What this does not prove:',
    ...limits(verified, { position, known }).map((line) => `- ${line}`),
    '',
    ...unseen({
      isSigned: known.keys.size > 0,
      isCompared: known.keys.size > 0,
      keptTo: verified.keptTo,
    }),
  );
  return 0;
}

interface Seen {
  /** Signatures were verified with keys that do not come from the database. */
  readonly isSigned: boolean;
  /** The end was compared with what was signed last. */
  readonly isCompared: boolean;
  /** The newest kept checkpoint, 0 without one. */
  readonly keptTo: number;
}

/** What three people could have done without a trace in this verification. */
function unseen({ isSigned, isCompared, keptTo }: Seen): readonly string[] {
  const beforeSigned = 'change events before they are signed, which takes up to a minute';
  const database = !isSigned
    ? 'replace the log, and sign it with a key of their own'
    : isCompared
      ? `${beforeSigned}. The service signs nothing that does not extend what it signed last`
      : `${beforeSigned}, and remove the end of a log together with its checkpoints`;
  const from =
    keptTo === 0 ? 'all of it' : `what comes after position ${keptTo}, your newest checkpoint`;
  return [
    'Who could have changed the log unseen:',
    `- Someone with the database alone could ${database}.`,
    `- Someone with the database and the audit key could replace ${from}.`,
    '- An operator of the machine could do the same, and let the service record what did not happen.',
  ];
}

function limits(
  { signedTo, keptTo }: Omit<VerifiedExport, 'header'>,
  { position, known }: { readonly position: number; readonly known: KnownProof },
): readonly string[] {
  const unsigned =
    known.keys.size === 0
      ? [
          'That the service wrote this: no signature was verified. Get its public key, and add --key.',
        ]
      : signedTo < position
        ? [`Positions after ${signedTo} are not signed.`]
        : [];
  const cut =
    keptTo === 0
      ? 'That nothing was removed or replaced before the export by someone who has the database and the key. Keep checkpoints elsewhere, and add --checkpoint.'
      : `That nothing after position ${keptTo}, your newest checkpoint, was removed or replaced before the export by someone who has the database and the key.`;
  return [...unsigned, cut, 'What happened after the export.'];
}

async function verifyStored(config: Config, known: KnownProof): Promise<number> {
  const verified = await withDatabase(config, 'read', async ({ db, isOwn }) => {
    const own = await auditKeyOf(config, isOwn);
    const keys = new Map([...known.keys, ...(own ? [entryOf(own)] : [])]);
    const signedEnds = await keptSignedEnds(config, isOwn);
    const found = await verifyDatabase(db, { ...known, keys }, { signedEnds });
    return { ...found, comparesSigned: signedEnds !== undefined };
  });
  for (const problem of verified.problems) console.error(`Broken. ${problem}`);
  reportStored(verified, known);
  return verified.problems.length === 0 ? 0 : 1;
}

function reportStored(
  verified: VerifiedDatabase & { readonly comparesSigned: boolean },
  { kept }: KnownProof,
): void {
  const { comparesSigned } = verified;
  const { organizations, entries, checkpoints, problems, notSealedYet, trustsDatabase } = verified;
  const chains = organizations === 1 ? '1 chain' : `${organizations} chains`;
  say(
    `${problems.length === 0 ? 'Whole' : 'Right so far'}: ${entries} entries in ${chains}, with ${checkpoints} checkpoints.`,
    ...(notSealedYet > 0 ? [`${notSealedYet} events of the last minute are not sealed yet.`] : []),
    '',
    'What this does not prove:',
    ...(trustsDatabase
      ? [
          '- That the service signed the checkpoints: their keys come from the database itself. Set COUNTERSIGN_AUDIT_KEY, or add --key.',
        ]
      : []),
    kept.length === 0
      ? '- That no one with the audit key replaced a chain. Keep checkpoints elsewhere, and add --checkpoint.'
      : '- That no one with the audit key replaced what comes after your newest checkpoint.',
    ...(comparesSigned
      ? []
      : [
          '- That the end of a chain was not removed together with its checkpoints: nothing here says what was signed last. Run it where COUNTERSIGN_AUDIT_SIGNED_FILE is.',
        ]),
    '',
    ...unseen({
      isSigned: !trustsDatabase,
      isCompared: comparesSigned,
      keptTo: Math.max(0, ...kept.map(({ position }) => position)),
    }),
  );
}

const say = (...lines: readonly string[]): void => {
  console.log(lines.join('\n'));
};

const entryOf = (key: PublicKey): [string, Verifier] => [key.id, verifierOf(key)];

/** A key, or those in a file: as the service publishes them, in base64, or PEM. */
function publicKeys(given: string): readonly PublicKey[] {
  const direct = readPublicKey(given);
  if (direct) return [direct];
  const text = existsSync(given) ? readFileSync(given, 'utf8').trim() : '';
  const keys = text.startsWith('{') ? publishedKeys(text) : [text].map(readPublicKey);
  const found = keys.filter((key) => key !== undefined);
  if (found.length > 0 && found.length === keys.length) return found;
  throw new OperatorError(
    `--key ${given} is neither an Ed25519 public key in base64 nor a file with some.`,
  );
}

function publishedKeys(text: string): readonly (PublicKey | undefined)[] {
  try {
    const { keys } = JSON.parse(text) as {
      readonly keys: readonly { readonly public_key: string }[];
    };
    return keys.map((key) => readPublicKey(key.public_key));
  } catch {
    return [];
  }
}

function keptCheckpoints(path: string): readonly Checkpoint[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const found = keptCheckpointsFrom(text);
  if (found) return found;
  throw new OperatorError(
    `--checkpoint ${path} is no file with checkpoints: lines of an export, or a response of the API.`,
  );
}
