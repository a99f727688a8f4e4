/** The members of stored escalation documents in responses. */
import type { z } from 'zod';
import type { KeptObject } from '../../src/platform/json/exact-json.ts';
import { knownMembers } from '../../src/platform/json/json-members.ts';
import { printed } from '../http/schema.ts';

/** Errors of a document that the grammar refuses. */
export const DOCUMENT_ERRORS = ['unknown_node_type'] as const;

/** The members of a stored document. Members that can be large are kept as text. */
export function storedMembers(document: string): KeptObject {
  return knownMembers(document, ['working_hours', 'nodes']);
}

/** Schemas of the result of `storedMembers`. */
export function printedMembers<
  Members extends Readonly<Record<'working_hours' | 'nodes', z.ZodType>>,
>(members: Members) {
  return {
    ...members,
    working_hours: printed(members.working_hours),
    nodes: printed(members.nodes),
  };
}
