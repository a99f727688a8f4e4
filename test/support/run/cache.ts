import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for downloaded servers and environments, which the service itself uses too. */
export function testCacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign');
}
