/** Digests of JSON, which are equal for equal values. */
import { createHash } from 'node:crypto';
import { canonical } from './exact.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const digestOf = (json: string): string => sha256(canonical(json));
