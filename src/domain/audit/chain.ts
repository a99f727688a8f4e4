/**
 * The chain of an organization's audit events, which shows that none was changed, removed or moved. Each entry links the
 * hash of the entry before it and the leaf of its event. Anyone can compute the same from an export.
 */
import { createHash } from 'node:crypto';
import type { AuditActorType } from './filters.ts';

/** An event as it is stored. */
export interface StoredEvent {
  readonly sequence: number;
  readonly id: string;
  readonly organizationId: string;
  readonly eventType: string;
  readonly actorType: AuditActorType;
  readonly actorId: string | null;
  readonly actorDisplayName: string | null;
  readonly subjectType: string;
  readonly subjectId: string;
  /** The source text. It is never parsed and printed again. */
  readonly data: string;
  readonly occurredAt: Date;
}

/** The end of a chain. */
export interface ChainHead {
  /** 0 before the first entry. */
  readonly position: number;
  readonly hash: Buffer;
}

export interface ChainEntry extends ChainHead {
  readonly leaf: Buffer;
}

export const HASH_BYTES = 32;

/** A chain without entries. */
export const EMPTY_CHAIN: ChainHead = { position: 0, hash: Buffer.alloc(HASH_BYTES) };

const LINK = Buffer.from('countersign-audit-v1\0');

/**
 * The canonical line of an event, version 1: JSON on one line, absent members left out. JSON allows a line break between
 * tokens only. Stored data may have some, which become spaces.
 */
export function canonicalLine(event: StoredEvent): string {
  const members = [
    `"sequence":${event.sequence}`,
    text('id', event.id),
    text('organization_id', event.organizationId),
    text('event_type', event.eventType),
    text('actor_type', event.actorType),
    ...(event.actorId === null ? [] : [text('actor_id', event.actorId)]),
    ...(event.actorDisplayName === null
      ? []
      : [text('actor_display_name', event.actorDisplayName)]),
    text('subject_type', event.subjectType),
    text('subject_id', event.subjectId),
    `"data":${/[\r\n]/.test(event.data) ? event.data.replaceAll(/[\r\n]/g, ' ') : event.data}`,
    text('occurred_at', event.occurredAt.toISOString()),
  ];
  return `{${members.join(',')}}`;
}

const text = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;

/** The SHA-256 of a canonical line. */
export function leafOf(line: string | Buffer): Buffer {
  return createHash('sha256').update(line).digest();
}

/** The entry that follows. */
export function nextEntry(organizationId: string, head: ChainHead, leaf: Buffer): ChainEntry {
  const position = head.position + 1;
  const hash = createHash('sha256')
    .update(LINK)
    .update(uuidBytes(organizationId))
    .update(head.hash)
    .update(bigEndian(position))
    .update(leaf)
    .digest();
  return { position, leaf, hash };
}

export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** 8 bytes. */
export function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
