/** Run as a process of its own: migrations are modules found at run time, which Jest's global setup cannot load. */
import { migrateToLatest } from '../../../src/data/migrate.ts';

const [databaseUrl] = process.argv.slice(2);
if (databaseUrl === undefined) throw new Error('Usage: migrate-template.ts <database url>');
await migrateToLatest(databaseUrl);
