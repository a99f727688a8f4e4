/** Reads the lines of an export that are not entries. Only exactly what an export writes is read. */
import type { ChainHead } from './chain.ts';
import type { Checkpoint } from './checkpoints.ts';
import { checkpointLine, EXPORT_VERSION } from './export.ts';

export interface ReadHeader {
  readonly organizationId: string;
  readonly exportedAt: string;
  readonly end: ChainHead;
  readonly events: number;
  readonly checkpoints: number;
  readonly filters: Readonly<Record<string, unknown>>;
  /** The line without its signature. */
  readonly signed: string;
  readonly keyId: string | undefined;
  readonly signature: Buffer | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
const SIGNATURE = /,"key_id":"([0-9a-f]{16})","signature":"([0-9a-f]{128})"\}$/;

/** Undefined for anything else. */
export function headerFrom(line: string): ReadHeader | undefined {
  const value = parsed(line) as HeaderJson | undefined;
  if (!value || JSON.stringify(value) !== line || value.version !== EXPORT_VERSION)
    return undefined;
  const {
    organization_id: organizationId,
    exported_at: exportedAt,
    range,
    counts,
    filters,
  } = value;
  const isHeader =
    UUID.test(String(organizationId)) &&
    typeof exportedAt === 'string' &&
    range?.from_position === 1 &&
    isCount(range.to_position) &&
    HASH.test(String(range.hash)) &&
    isCount(counts?.events) &&
    isCount(counts.checkpoints) &&
    typeof filters === 'object' &&
    filters !== null;
  if (!isHeader) return undefined;
  const match = SIGNATURE.exec(line);
  const signature = match?.[2];
  return {
    organizationId: String(organizationId),
    exportedAt,
    end: { position: range.to_position, hash: Buffer.from(String(range.hash), 'hex') },
    events: counts.events,
    checkpoints: counts.checkpoints,
    filters: filters as Readonly<Record<string, unknown>>,
    signed: match ? `${line.slice(0, match.index)}}` : line,
    keyId: match?.[1],
    signature: signature === undefined ? undefined : Buffer.from(signature, 'hex'),
  };
}

interface HeaderJson {
  readonly version: unknown;
  readonly organization_id: unknown;
  readonly exported_at: unknown;
  readonly range?: {
    readonly from_position: unknown;
    readonly to_position: unknown;
    readonly hash: unknown;
  };
  readonly counts?: { readonly events: unknown; readonly checkpoints: unknown };
  readonly filters: unknown;
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** A line with a checkpoint. Undefined for anything else. */
export function checkpointFrom(line: string): Checkpoint | undefined {
  const value = parsed(line);
  const checkpoint = value && readCheckpoint(value['checkpoint']);
  return checkpoint && checkpointLine(checkpoint) === line ? checkpoint : undefined;
}

/** A checkpoint as the API returns it and exports contain it. Undefined for anything else. */
export function readCheckpoint(value: unknown): Checkpoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { organization_id, position, hash, at, key_id, signature, number, previous } =
    value as Record<string, unknown>;
  const time = new Date(typeof at === 'string' ? at : Number.NaN);
  const isCheckpoint =
    UUID.test(String(organization_id)) &&
    isCount(position) &&
    HASH.test(String(hash)) &&
    !Number.isNaN(time.getTime()) &&
    /^[0-9a-f]{16}$/.test(String(key_id)) &&
    /^[0-9a-f]{128}$/.test(String(signature)) &&
    isLink(number, previous);
  if (!isCheckpoint) return undefined;
  return {
    organizationId: String(organization_id),
    position,
    hash: Buffer.from(String(hash), 'hex'),
    at: time,
    link: isCount(number) ? { number, previous: Buffer.from(String(previous), 'hex') } : undefined,
    keyId: String(key_id),
    signature: Buffer.from(String(signature), 'hex'),
  };
}

/** Both, or neither in version 1. */
const isLink = (number: unknown, previous: unknown): boolean =>
  number === undefined
    ? previous === undefined
    : isCount(number) && number > 0 && HASH.test(String(previous));

/**
 * Checkpoints that someone kept: lines of an export, responses of the API, single checkpoints of either, or the text of an email
 * with one. Undefined when there is no checkpoint, or other JSON.
 */
export function keptCheckpointsFrom(text: string): readonly Checkpoint[] | undefined {
  const whole = parsed(text);
  const values = whole
    ? [whole]
    : text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('{'))
        .map(parsed);
  const found = values
    .flatMap((value): readonly unknown[] => {
      const list = value?.['checkpoints'];
      return Array.isArray(list) ? list : [value?.['checkpoint'] ?? value];
    })
    .map(readCheckpoint);
  const checkpoints = found.filter((checkpoint) => checkpoint !== undefined);
  return checkpoints.length > 0 && checkpoints.length === found.length ? checkpoints : undefined;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
