/** What is said of one API key in lists: its name, its state, and when it was made and used and ends. */
import type { ReactNode } from 'react';
import { serverNow } from '../../api/clock.ts';
import type { components } from '../../api/openapi.d.ts';
import { Instant } from '../../design/instant.tsx';
import { StateMark, type StateTone } from '../../design/marks/badge.tsx';
import { ForeignText } from '../../exact/foreign-text.tsx';
import classes from './key-facts.module.css';
import { keyFacts as text } from './text.ts';

export type Key = components['schemas']['APIKey'];

type State = keyof typeof text.states;

const TONES: Readonly<Record<State, StateTone>> = {
  active: 'good',
  ending: 'warn',
  expired: 'plain',
  revoked: 'plain',
  blocked: 'warn',
};

/** The days of `ends_soon` in lists of keys. */
const SOON_MS = 14 * 24 * 60 * 60_000;

function stateOf({ status, usable, expires_at: end, oauth_client: client }: Key): State {
  if (status !== 'active') return status;
  if (!usable) return 'blocked';
  // A program renews its key itself.
  if (end === null || client !== undefined) return 'active';
  return Date.parse(end) - serverNow() < SOON_MS ? 'ending' : 'active';
}

export function KeyState({ apiKey }: { readonly apiKey: Key }) {
  const state = stateOf(apiKey);
  return <StateMark tone={TONES[state]}>{text.states[state]}</StateMark>;
}

interface KeyNameProps {
  readonly apiKey: Key;
  /** The name as a link. Without it, the name alone. */
  readonly children?: ReactNode;
}

export function KeyName({ apiKey, children }: KeyNameProps) {
  return (
    <span className={classes['name']}>
      {children ?? <ForeignText text={apiKey.name} isName />}
      <KeyState apiKey={apiKey} />
    </span>
  );
}

/** Ids begin with the time at which they were made, so the end tells keys apart. */
const SHOWN_END = 8;

export const shortPrefix = ({ prefix }: Key): string =>
  `${prefix.slice(0, 4)}…${prefix.slice(-SHOWN_END)}`;

export function WhyBlocked({ apiKey }: { readonly apiKey: Key }) {
  if (stateOf(apiKey) !== 'blocked') return null;
  return <p>{text.blocked[apiKey.blocked_reason ?? 'other']}</p>;
}

/** In the words of its kind: of a key that people made, or of a program that a person approved. */
export function KeyTimes({ apiKey }: { readonly apiKey: Key }) {
  const { created_at: made, oauth_client: client } = apiKey;
  if (client) return <ClientTimes apiKey={apiKey} client={client} />;
  return (
    <p>
      <code>{shortPrefix(apiKey)}</code> · {text.made} <Instant at={made} as="ago" /> ·{' '}
      <LastUse apiKey={apiKey} /> · <End apiKey={apiKey} />
    </p>
  );
}

export function LastUse({ apiKey: { last_used_at: used } }: { readonly apiKey: Key }) {
  if (used === undefined) return text.unused;
  return (
    <>
      {text.used} <Instant at={used} as="ago" />
    </>
  );
}

/** When it ends, or when it ended and how. */
function End({ apiKey }: { readonly apiKey: Key }) {
  const { expires_at: end, revoked_at: revoked, status, oauth_client: client } = apiKey;
  if (revoked !== undefined) return <At words={text.revokedAt} at={revoked} as="ago" />;
  if (end === null) return text.noEnd;
  if (status === 'expired') return <At words={text.ended} at={end} as="ago" />;
  return <At words={client ? text.unlessRefreshed : text.ends} at={end} as="in" />;
}

interface AtProps {
  readonly words: string;
  readonly at: string;
  readonly as: 'ago' | 'in';
}

function At({ words, at, as }: AtProps) {
  return (
    <>
      {words} <Instant at={at} as={as} />
    </>
  );
}

interface ClientTimesProps {
  readonly apiKey: Key;
  readonly client: NonNullable<Key['oauth_client']>;
}

/** Who the program is, where it may go, and how long without and with refreshes. */
function ClientTimes({ apiKey, client }: ClientTimesProps) {
  const { verified_host: host, resource, token_issued_at: token, ends_at: grantEnd } = client;
  return (
    <>
      <p>
        {text.opens[resource]}{' '}
        {host === undefined ? (
          text.notChecked
        ) : (
          <>
            {text.checked} <ForeignText text={host} isName />.
          </>
        )}
      </p>
      <p>
        {text.consented} <Instant at={apiKey.created_at} as="ago" /> ·{' '}
        {token === undefined ? text.noToken : <At words={text.token} at={token} as="ago" />} ·{' '}
        <LastUse apiKey={apiKey} />
      </p>
      <p>
        <End apiKey={apiKey} />
        {apiKey.status === 'active' && grantEnd !== undefined && (
          <>
            {' '}
            · <At words={text.grantEnds} at={grantEnd} as="in" />
          </>
        )}
      </p>
    </>
  );
}
