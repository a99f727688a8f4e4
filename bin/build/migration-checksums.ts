/** Notices edited migrations: `migrations/checksums` has the SHA-256 of each, as `sha256sum` writes it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Checksums {
  /** Migrations that are not as they were, or are gone. */
  readonly changed: readonly string[];
  /** Migrations that were not recorded. */
  readonly added: readonly string[];
}

/** `folder`: of the migrations. */
export function compareChecksums(folder: string): Checksums {
  const [recorded, present] = [recordedIn(folder), presentIn(folder)];
  return {
    changed: [...recorded.keys()].filter((name) => present.get(name) !== recorded.get(name)),
    added: [...present.keys()].filter((name) => !recorded.has(name)),
  };
}

/** Records added migrations. Throws where one has changed. */
export function recordChecksums(folder: string): void {
  const { changed } = compareChecksums(folder);
  if (changed.length > 0)
    throw new Error(
      `Migrations are never edited, and these have changed: ${changed.join(', ')}. Undo that, and write a new migration. ` +
        'If a migration is not merged yet, delete its line in migrations/checksums and run this again.',
    );
  const lines = [...presentIn(folder)].map(([name, checksum]) => `${checksum}  ${name}\n`);
  writeFileSync(join(folder, 'checksums'), lines.join(''));
}

function recordedIn(folder: string): ReadonlyMap<string, string> {
  const file = join(folder, 'checksums');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return new Map(
    lines.map((line) => {
      const [checksum = '', name = ''] = line.split('  ');
      return [name, checksum];
    }),
  );
}

function presentIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );
}
