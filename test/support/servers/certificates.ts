/**
 * Creates X.509 certificates, which node's crypto reads but cannot write: an authority, and servers
 * whose certificates it signs.
 */
import {
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface ServerTerms {
  /** DNS names, or IPv4 addresses. */
  readonly names: readonly string[];
  /** Default: one day from yesterday. */
  readonly from?: Date;
  readonly to?: Date;
}

export interface Authority {
  /** PEM. */
  readonly cert: string;
  issue(terms: ServerTerms): Certificate;
}

const DAY_MS = 86_400_000;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALTERNATIVE_NAMES = '551d11';
const BASIC_CONSTRAINTS = '551d13';

export function createAuthority(commonName: string): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = extension(BASIC_CONSTRAINTS, der(SEQUENCE, TRUE));
  const issuer = { name: commonName, key: privateKey };
  const cert = certificate({ subject: commonName, issuer, publicKey, extensions: [isAuthority] });
  return {
    cert,
    issue: ({ names, from, to }) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = [
        extension(SUBJECT_ALTERNATIVE_NAMES, der(SEQUENCE, ...names.map(alternativeName))),
      ];
      return {
        cert: certificate({
          subject: names[0] ?? '',
          issuer,
          publicKey: pair.publicKey,
          extensions,
          from,
          to,
        }),
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

interface Terms extends Partial<Record<'from' | 'to', Date | undefined>> {
  readonly subject: string;
  readonly issuer: { readonly name: string; readonly key: KeyObject };
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, issuer, publicKey, extensions, from, to }: Terms): string {
  const algorithm = der(SEQUENCE, objectId(ECDSA_WITH_SHA256));
  const [begin, end] = [from ?? new Date(Date.now() - DAY_MS), to ?? new Date(Date.now() + DAY_MS)];
  const content = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    // The first byte keeps it positive.
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer.name),
    der(SEQUENCE, time(begin), time(end)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signed = der(
    SEQUENCE,
    content,
    algorithm,
    der(BIT_STRING, Buffer.from([0]), sign('sha256', content, issuer.key)),
  );
  return new X509Certificate(signed).toString();
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const objectId = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, 'hex'));

const nameOf = (commonName: string): Buffer =>
  der(
    SEQUENCE,
    der(SET, der(SEQUENCE, objectId(COMMON_NAME), der(UTF8_STRING, Buffer.from(commonName)))),
  );

/** `YYMMDDhhmmssZ` */
const time = (at: Date): Buffer =>
  der(UTC_TIME, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));

const extension = (id: string, value: Buffer): Buffer =>
  der(SEQUENCE, objectId(id), der(OCTET_STRING, value));

function alternativeName(name: string): Buffer {
  const isAddress = /^[0-9.]+$/.test(name);
  return isAddress
    ? der(0x87, Buffer.from(name.split('.').map(Number)))
    : der(0x82, Buffer.from(name));
}
