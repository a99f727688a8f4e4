/** Commands that export and verify the audit log. */
export const EXPORT = 'npm run countersign -- export-audit audit.ndjson';
export const VERIFY = 'npm run countersign -- verify-audit audit.ndjson --key audit-keys.json';
export const VERIFY_KEPT = `${VERIFY} --checkpoint kept.json`;
export const VERIFY_DATABASE = 'npm run countersign -- verify-audit';
export const getKeys = (): string =>
  `curl -sS --fail-with-body ${location.origin}/.well-known/countersign-audit-keys > audit-keys.json`;
