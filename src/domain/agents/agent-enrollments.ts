/** A machine that asks to become an instance of an agent, and the code with which a person finds it. */
import { createHash } from 'node:crypto';
import type { JsonText } from '../../platform/json/exact-json.ts';

export interface AgentEnrollment {
  readonly id: string;
  /** What runs the agent, in the machine's own words. */
  readonly runtime: string;
  /** The only agent that can be chosen, where the machine named one. */
  readonly requestedAgentSlug: string | null;
  readonly instanceName: string;
  readonly instanceMetadata: JsonText;
  readonly status: 'awaiting_authorization' | 'authorized';
  readonly expiresAt: Date;
}

/** The agent that a person chooses for the machine: one that exists, or a new one. */
export type EnrollmentTarget =
  | { readonly kind: 'agent'; readonly slug: string }
  | { readonly kind: 'new_agent'; readonly slug: string; readonly name: string };

/** A machine that names an agent gets that one or none. */
export function isAllowedTarget(
  { requestedAgentSlug }: AgentEnrollment,
  target: EnrollmentTarget,
): boolean {
  if (requestedAgentSlug === null) return true;
  return target.kind === 'agent' && target.slug === requestedAgentSlug;
}

/** Without 0, O, 1, I and L, which look alike. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ';
const LETTERS_AND_DIGITS = `${LETTERS}23456789`;
const ALPHABETS = [...Array<string>(3).fill(LETTERS), ...Array<string>(4).fill(LETTERS_AND_DIGITS)];

/** Random bytes for a code. Far more than it holds, so that all codes are equally likely. */
export const USER_CODE_BYTES = 16;

/** A code such as `KQM-7X2R`: three letters, then four letters or digits, of random bytes. */
export function newUserCode(random: Buffer): string {
  let rest = BigInt(`0x${random.toString('hex')}`);
  const characters = ALPHABETS.map((alphabet) => {
    const size = BigInt(alphabet.length);
    const character = alphabet.charAt(Number(rest % size));
    rest /= size;
    return character;
  });
  return `${characters.slice(0, 3).join('')}-${characters.slice(3).join('')}`;
}

/** The stored hash of a code, in capitals or small letters, with or without its hyphen. */
export function hashUserCode(typed: string): Buffer {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase();
  return createHash('sha256').update(`user code\n${code}`).digest();
}
