/** The lines of an exported audit log. With proof, they are all that it takes to verify the chain without the database. */
import { canonicalLine, type ChainEntry, type ChainHead, type StoredEvent } from './chain.ts';
import type { Checkpoint } from './checkpoints.ts';
import { parseExact } from '../../platform/json/exact-json.ts';
import { eventSentence, sentenceText } from './event-sentences.ts';
import type { ToldEvent } from './sentences/parts.ts';

export const EXPORT_VERSION = 1;

/** What the first line of an export with proof says about the others. */
export interface ExportHeader {
  readonly organizationId: string;
  readonly exportedAt: Date;
  /** Where the chain ended. The export has every position from 1 to this one. */
  readonly end: ChainHead;
  /** Events that are shown, and checkpoints. */
  readonly events: number;
  readonly checkpoints: number;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly keys: readonly { readonly id: string; readonly publicKey: Buffer }[];
}

/** Signs the header. */
export interface HeaderSigner {
  readonly id: string;
  sign(bytes: Buffer): Buffer;
}

const SIGNED = Buffer.from('countersign-audit-export-v1\0');

/** What the signature of a header covers: the words above, and the line without its signature. */
export function headerBytes(line: string): Buffer {
  return Buffer.concat([SIGNED, Buffer.from(line)]);
}

export function headerLine(header: ExportHeader, signer: HeaderSigner | undefined): string {
  const { organizationId, exportedAt, end, events, checkpoints, filters, keys } = header;
  const line = JSON.stringify({
    version: EXPORT_VERSION,
    organization_id: organizationId,
    exported_at: exportedAt,
    range: { from_position: 1, to_position: end.position, hash: end.hash.toString('hex') },
    counts: { events, checkpoints },
    filters,
    public_keys: keys.map(({ id, publicKey }) => ({
      key_id: id,
      public_key: publicKey.toString('base64'),
    })),
  });
  if (!signer) return line;
  const signature = signer.sign(headerBytes(line)).toString('hex');
  return `${line.slice(0, -1)},"key_id":"${signer.id}","signature":"${signature}"}`;
}

/** An entry with its event, or with its leaf alone where a filter leaves the event out. */
export function entryLine(
  { position, hash, leaf }: ChainEntry,
  event: StoredEvent | undefined,
): string {
  return event
    ? `{"position":${position},"hash":"${hash.toString('hex')}","event":${canonicalLine(event)}}`
    : `{"position":${position},"leaf":"${leaf.toString('hex')}"}`;
}

export function checkpointLine(checkpoint: Checkpoint): string {
  return JSON.stringify({ checkpoint: printedCheckpoint(checkpoint) });
}

/** Version 1 has no `number` and no `previous`. */
export function printedCheckpoint({ link, ...checkpoint }: Checkpoint) {
  return {
    organization_id: checkpoint.organizationId,
    ...(link && { number: link.number }),
    position: checkpoint.position,
    hash: checkpoint.hash.toString('hex'),
    ...(link && { previous: link.previous.toString('hex') }),
    at: checkpoint.at,
    key_id: checkpoint.keyId,
    signature: checkpoint.signature.toString('hex'),
  };
}

const COLUMNS = [
  'sequence',
  'id',
  'organization_id',
  'event_type',
  'actor_type',
  'actor_id',
  'actor_display_name',
  'subject_type',
  'subject_id',
  'data',
  'occurred_at',
  'sentence',
] as const;

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

const toldOf = ({ data, actorId, actorDisplayName, ...event }: StoredEvent): ToldEvent => ({
  ...event,
  actorId: actorId ?? undefined,
  actorName: actorDisplayName ?? undefined,
  data: parseExact(data) as ToldEvent['data'],
});

/** A line as RFC 4180 has it. */
export function csvLine(event: StoredEvent): string {
  const cells = [
    String(event.sequence),
    event.id,
    event.organizationId,
    event.eventType,
    event.actorType,
    event.actorId ?? '',
    event.actorDisplayName ?? '',
    event.subjectType,
    event.subjectId,
    event.data,
    event.occurredAt.toISOString(),
    sentenceText(eventSentence(toldOf(event))),
  ];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheets run a cell that begins like this as a formula. */
const FORMULA = /^\s*[=+\-@\t\r\n＝＋－＠]/u;

/** Where a spreadsheet that separates cells by one of these begins another cell, whatever the quotes say. */
const INNER_CELL = /[;|\t\r\n][\s"]*/g;

const BEGINS_FORMULA = new Set('=+-@＝＋－＠');

function csvCell(text: string): string {
  const harmless = (FORMULA.test(text) ? `'${text}` : text).replaceAll(
    INNER_CELL,
    (run, at: number, whole: string) =>
      BEGINS_FORMULA.has(whole.charAt(at + run.length)) ? `${run}'` : run,
  );
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
