/**
 * The digest of the text that was drawn. `crypto.subtle` exists on https only, and reviewers also
 * use plain http in their own network.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of the text in UTF-8, as 64 hex digits. */
export const digestOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
