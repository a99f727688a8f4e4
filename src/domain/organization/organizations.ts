/** An organization's own settings, the changes between two versions of them, and who may make those changes. */
import type { MemberPrincipal } from '../people/authorization.ts';
import type { HiddenNames } from '../shown/hidden-names.ts';
import { formatDuration } from '../durations.ts';
import { AppError } from '../errors.ts';
import { requireRecentAuthentication } from '../people/recent-authentication.ts';

export interface Organization extends OrganizationTerms {
  readonly id: string;
  readonly slug: string;
  /** The number of its changes, starting at 1. */
  readonly revision: number;
  readonly createdAt: Date;
}

/** Durations are seconds. */
export interface OrganizationTerms {
  readonly name: string;
  readonly claimTimeout: number;
  readonly personalApiKeysAllowed: boolean;
  /** null: keys live until they are revoked, unless they have a separate expiry. */
  readonly maxApiKeyLifetime: number | null;
  readonly requireMfa: boolean;
  readonly reauthenticationWindow: number;
  /** How much of the cap on pending requests one agent may take: over 0, at most 1. */
  readonly agentPendingShare: number;
  /** Which names of arguments hide their values. */
  readonly hiddenNames: HiddenNames;
}

/** Bounds of the durations. The API and the table's constraints use the same. */
export const DURATION_BOUNDS = {
  claimTimeout: { min: '1m', max: '24h' },
  maxApiKeyLifetime: { min: '1h', max: '87600h' },
  reauthenticationWindow: { min: '1m', max: '24h' },
} as const;

type Term = keyof OrganizationTerms;

/** Of `hiddenNames` also a part. */
export type TermsWanted = {
  readonly [Key in Exclude<Term, 'hiddenNames'>]?: OrganizationTerms[Key] | undefined;
} & {
  readonly hiddenNames?:
    { readonly [Key in keyof HiddenNames]?: HiddenNames[Key] | undefined } | undefined;
};

/** The audit log's key of each term. `sensitive`: the term affects how people and keys authenticate. */
const TERMS: {
  readonly [Key in Term]: {
    readonly key: string;
    readonly duration?: true;
    readonly sensitive?: true;
  };
} = {
  name: { key: 'name' },
  claimTimeout: { key: 'claim_timeout', duration: true },
  personalApiKeysAllowed: { key: 'personal_api_keys_allowed', sensitive: true },
  maxApiKeyLifetime: { key: 'max_api_key_lifetime', duration: true, sensitive: true },
  requireMfa: { key: 'require_mfa', sensitive: true },
  reauthenticationWindow: { key: 'reauthentication_window', duration: true, sensitive: true },
  agentPendingShare: { key: 'agent_pending_share' },
  hiddenNames: { key: 'hidden_names' },
};

const ALL_TERMS = Object.keys(TERMS) as readonly Term[];

/** The new values of the terms that differ. Absent and equal terms are left out. */
export function changesTo(
  current: OrganizationTerms,
  wanted: TermsWanted,
): Partial<OrganizationTerms> {
  const { defaults, add } = wanted.hiddenNames ?? {};
  const terms = {
    ...wanted,
    hiddenNames: {
      defaults: defaults ?? current.hiddenNames.defaults,
      add: add ?? current.hiddenNames.add,
    },
  };
  const changed = ALL_TERMS.filter(
    (term) =>
      terms[term] !== undefined && JSON.stringify(terms[term]) !== JSON.stringify(current[term]),
  );
  return Object.fromEntries(changed.map((term) => [term, terms[term]]));
}

/**
 * Throws unless the caller may make these changes. Sensitive terms need `requireRecentAuthentication`. A caller who
 * requires a second factor must have used one (403 `mfa_required`), or they would lock themselves out.
 */
export function requireMayChange(
  principal: MemberPrincipal,
  changes: Partial<OrganizationTerms>,
): void {
  if (!ALL_TERMS.some((term) => term in changes && TERMS[term].sensitive)) return;
  requireRecentAuthentication(principal);
  if (changes.requireMfa === true && principal.auth.assurance !== 'strong') {
    throw new AppError('mfa_required', {
      detail: 'Sign in with a second factor before you require one for everyone.',
    });
  }
}

/** The changes as the audit log records them: each term as it was and as it is. */
export function describeChanges(
  before: OrganizationTerms,
  changes: Partial<OrganizationTerms>,
): Readonly<Record<string, unknown>> {
  const changed = ALL_TERMS.filter((term) => term in changes);
  return Object.fromEntries(
    changed.map((term) => [
      TERMS[term].key,
      { old: auditedValue(term, before[term]), new: auditedValue(term, changes[term] ?? null) },
    ]),
  );
}

function auditedValue(
  term: Term,
  value: OrganizationTerms[Term],
): OrganizationTerms[Term] | string {
  return TERMS[term].duration && typeof value === 'number' ? formatDuration(value) : value;
}

/** `Ünïted Ägents, Inc.` becomes `united-agents-inc`; a name without a Latin letter or digit becomes `organization`. */
export function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 63).replace(/-$/, '') || 'organization';
}
