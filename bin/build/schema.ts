/**
 * `npm run schema`: migrates a new database, writes its schema to migrations/schema.sql, and records
 * the checksums of new migrations.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateToLatest } from '../../src/data/migrate.ts';
import { describeSchema } from '../../src/data/schema-description.ts';
import { ensureDatabase, startEmbeddedPostgres } from '../../src/local/embedded-postgres.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { openPool } from '../../src/platform/postgres.ts';
import { recordChecksums } from './migration-checksums.ts';

const DATABASE = 'countersign';

const migrations = join(packageRoot(), 'migrations');
recordChecksums(migrations);

const directory = await mkdtemp(join(tmpdir(), 'countersign-schema-'));
const server = await startEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  durable: false,
});
try {
  await ensureDatabase(server, DATABASE);
  await migrateToLatest(server.url(DATABASE));
  const db = openPool({
    connectionString: server.url(DATABASE),
    max: 1,
    applicationName: 'countersign-schema',
  });
  const schema = await describeSchema(db).finally(() => db.destroy());
  await writeFile(
    join(migrations, 'schema.sql'),
    `-- Generated from the migrations by \`npm run schema\`. Do not edit.\n\n${schema}`,
  );
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
