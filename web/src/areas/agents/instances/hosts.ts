/** Where an instance runs, as its metadata says. */
import { parseExact } from '../../../../../src/platform/json/exact-json.ts';

const NAMES = ['host', 'hostname', 'node', 'pod'];

/** The first member with such a name that is text. */
export function hostOf(metadata: string): string | undefined {
  const value: unknown = parseExact(metadata, { keep: [] });
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  return NAMES.map((name) => members[name]).find(
    (each): each is string => typeof each === 'string' && each !== '',
  );
}
