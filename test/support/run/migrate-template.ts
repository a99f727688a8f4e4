/**
 * Runs as a separate process, because Jest's global setup cannot load migrations, which are found
 * at run time.
 */
import { migrateToLatest } from '../../../src/data/migrate.ts';

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error('Usage: migrate-template.ts <database url>');
await migrateToLatest(databaseUrl);
