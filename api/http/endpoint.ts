/**
 * An endpoint is declared once. The same value mounts the route, authenticates, checks the
 * permission and validates the input. It also checks the response (strictly in tests) and yields the
 * OpenAPI operation.
 */
import type { z } from 'zod';
import type {
  AuthorizationTarget,
  MemberPrincipal,
  AgentPrincipal,
  ProductPrincipal,
  ProvisionerPrincipal,
} from '../../src/domain/people/authorization.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { Permission } from '../../src/domain/people/permissions.ts';
import type { PendingCookie } from '../../src/services/sign-in/oidc.ts';
import type { OAuthCaller } from '../../src/services/access/sign-in-attempts.ts';
import type { Client } from '../../src/services/sign-in/sessions.ts';
import type { AppContext } from '../../src/services/context.ts';
import type { Dialect } from './problems/dialects.ts';

/**
 * The credentials an endpoint accepts. `product`: a session, a personal or an organization key;
 * `member`: a session or a personal key; `session`: a browser only; `personal_key`: a personal key only, and
 * cookies count as nothing; `agent`: the adapter protocol; `provisioner`: a fleet's token; `none`: no credential.
 */
export type AuthKind =
  'product' | 'member' | 'session' | 'personal_key' | 'agent' | 'provisioner' | 'none';

const BY_SESSION: readonly AuthKind[] = ['product', 'member', 'session'];

/** Whether calls with `Service-Background` are no use of their session. */
export function takesBackground({ auth, method }: Pick<Endpoint, 'auth' | 'method'>): boolean {
  return method === 'get' && BY_SESSION.includes(auth);
}

/** Whether calls with `Service-Acting-As` are refused where their session is another person's. */
export function takesActingAs({ auth, method }: Pick<Endpoint, 'auth' | 'method'>): boolean {
  return method !== 'get' && BY_SESSION.includes(auth);
}

export type PrincipalOf<A extends AuthKind> = A extends 'agent'
  ? AgentPrincipal
  : A extends 'provisioner'
    ? ProvisionerPrincipal
    : A extends 'none'
      ? undefined
      : A extends 'product'
        ? ProductPrincipal
        : MemberPrincipal;

/** Limits on bodies, in bytes. */
export const BODY_BYTES = {
  usual: 64 * 1024,
  /** The metadata of an agent instance alone may have 64 KiB. */
  metadata: 128 * 1024,
  /** The caller is not authenticated yet. */
  signIn: 16 * 1024,
  /** Anyone may register a client of OAuth, and it is kept. */
  registration: 2 * 1024,
  /** A call from Slack repeats the message that it is about. */
  slack: 256 * 1024,
  /** Arguments of a tool call, and documents with thousands of conditions. */
  large: 1024 * 1024,
  /** A thousand names of tools. */
  toolAccess: 256 * 1024,
  /** The schemas of up to 2,000 tools. */
  catalog: 8 * 1024 * 1024,
} as const;

/** What `ifMatch` of a call is without the header, where it is optional. */
export const ANY_REVISION = -1;

/**
 * Headers that an operation uses. A missing required one is 400 (Idempotency-Key) or 428
 * (If-Match).
 */
export interface HeaderNeeds {
  readonly idempotencyKey?: 'required' | 'optional';
  readonly ifMatch?: 'required' | 'optional';
}

type Output<S extends z.ZodType | undefined> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<
  A extends AuthKind,
  P extends z.ZodType | undefined,
  Q extends z.ZodType | undefined,
  B extends z.ZodType | undefined,
> {
  readonly principal: PrincipalOf<A>;
  readonly params: Output<P>;
  readonly query: Output<Q>;
  readonly body: Output<B>;
  /** Present when the endpoint uses one. */
  readonly signedForm: SignedForm;
  /** Empty without the header, where the endpoint does not require it. */
  readonly idempotencyKey: string;
  /**
   * The revision named by If-Match, 0 when none is active; present when the endpoint uses the header. `ANY_REVISION` without it, where
   * it is optional.
   */
  readonly ifMatch: number;
  /** The call is no use of its session, because the browser made it on its own. */
  readonly background: boolean;
  readonly cookies: Cookies;
  readonly client: Client & OAuthCaller;
  /** A browser opens this as a page, so a person sees what comes back. */
  readonly isPage: boolean;
  /** Those that the endpoint names in `readHeaders`, by their names in small letters. */
  readonly readHeaders: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
  /** Calls another endpoint with the credential of this call. */
  readonly perform: Perform;
  /**
   * The caller after a wait. Throws 401 or 403 if the presented credential no longer opens this
   * endpoint.
   */
  readonly authenticateAgain: () => Promise<PrincipalOf<A>>;
}

/** A call that one endpoint makes of another. */
export interface InnerCall {
  readonly operationId: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<
    Record<string, string | number | boolean | readonly string[] | undefined>
  >;
  /** The text of its JSON, so that numbers keep their digits. */
  readonly body?: string;
}

/** What a client would have received. */
export interface InnerResponse {
  readonly status: number;
  /** The body, digit for digit. Empty where there is none. */
  readonly text: string;
  /** Set where the body is left out, because it is too long for a caller that needs all of it at once. */
  readonly isTooLong?: true;
}

export type Perform = (call: InnerCall) => Promise<InnerResponse>;

/** A call of an endpoint without the types of its declaration. */
export type AnyCall = Call<
  AuthKind,
  z.ZodType | undefined,
  z.ZodType | undefined,
  z.ZodType | undefined
>;

export interface Cookies {
  /** The presented session cookie. */
  readonly session: string | undefined;
  /** The presented cookies of unfinished sign-ins through the identity provider. */
  readonly sso: readonly PendingCookie[];
}

/** The body from another system, character for character as it was signed. */
export interface SignedForm {
  readonly text: string;
  /** The headers that the endpoint names, in small letters. A missing header is empty. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly body?: unknown;
  /** In place of `body`: text that is read while it is sent. Its type is one that `success.streams` names. */
  readonly stream?: { readonly type: string; readonly chunks: AsyncIterable<string> };
  /** The first declared status when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The response of one status. */
export interface SuccessResponse {
  readonly description: string;
  /** Absent for a response without a body. */
  readonly body?: z.ZodType;
  /** In place of `body`: an example for each media type that the caller can choose. */
  readonly streams?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** An example response as sent. */
  readonly example?: unknown;
}

export interface Success extends SuccessResponse {
  /** The usual status first. */
  readonly status: number | readonly number[];
  /** By status, for statuses with another body. */
  readonly otherwise?: Readonly<Record<number, SuccessResponse>>;
}

export interface Endpoint<
  A extends AuthKind = AuthKind,
  P extends z.ZodType | undefined = z.ZodType | undefined,
  Q extends z.ZodType | undefined = z.ZodType | undefined,
  B extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` placeholders, as OpenAPI writes them. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** How its errors are written. Default: `product`. */
  readonly dialect?: Dialect;
  readonly auth: A;
  /**
   * Absent for self-service operations. `permissionAt` returns the target; default: the
   * organization.
   */
  readonly permission?: Permission;
  readonly permissionAt?: (params: Output<P>) => AuthorizationTarget;
  /**
   * What else the caller needs, such as the right to see this request. Throws 403 or 404 before the input is read, so that its
   * problems tell nothing to people without a right.
   */
  readonly admit?: (
    call: { readonly principal: PrincipalOf<A>; readonly params: Output<P> },
    context: AppContext,
  ) => Promise<void>;
  /** Also opens it, for callers without `permission`. */
  readonly orPermission?: Permission;
  /**
   * Only in the hosted edition. The open edition returns 404 to every authenticated caller, before
   * the permission check.
   */
  readonly edition?: 'hosted';
  /** Returns 501 to every permitted caller on a deployment without a secrets key. */
  readonly needsSecretsKey?: true;
  /** Set where keys of OAuth clients that are bound to the MCP endpoint may call, too. */
  readonly opensToMcpKeys?: true;
  /** The path of its metadata as a protected resource (RFC 9728). Its 401 names it. */
  readonly resourceMetadata?: string;
  /** Set where a credential has no rate limit. */
  readonly unlimited?: true;
  readonly params?: P;
  readonly query?: Q;
  /** Query parameters that may be given several times. They are read as lists. */
  readonly repeatable?: readonly string[];
  readonly headers?: HeaderNeeds;
  /** Further headers that the handler gets, in small letters. */
  readonly readHeaders?: readonly string[];
  readonly body?: B;
  /** Set where a call without a body counts as one with an empty object. */
  readonly bodyOptional?: true;
  /** The most bytes of a body. Default: `BODY_BYTES.usual`. */
  readonly bodyLimit?: number;
  /** The most values of a body, in all levels. Default: what its bytes can hold. */
  readonly mostValues?: number;
  /** How many calls one agent instance may make in a minute. Default: as many as of all kinds. */
  readonly callsPerMinute?: number;
  /** Set where a call without a large body can need threads of the worker pool, too. */
  readonly isHeavy?: true;
  /** Set where each call counts as an attempt of its network, before its body is read. Those that succeed are taken back. */
  readonly attempt?: 'sign_in' | 'oauth';
  /**
   * Set where pages of any origin may call, and read the response. Only for endpoints without a credential, which do the same
   * for everyone: nothing of the visitor of such a page counts.
   */
  readonly anyOrigin?: true;
  /** Top-level body members passed on as JsonText, their source text unchanged. */
  readonly exact?: readonly string[];
  /**
   * Pointers to the parts of a large body that are passed on as JsonText; `''` for all of it. Other
   * lists in it count as empty.
   */
  readonly documents?: readonly string[];
  /**
   * Pointers into the body below which strings may contain NUL and lone surrogates. They are
   * evaluated, never stored.
   */
  readonly verbatim?: readonly string[];
  /**
   * Set, in place of `body`, where another system posts a form. `fields` only describes it. The handler gets the text, and
   * verifies a signature before it uses anything.
   */
  readonly signedForm?: { readonly fields: z.ZodType; readonly headers: readonly string[] };
  readonly requestExample?: unknown;
  readonly success: Success;
  /**
   * Codes beyond those of every endpoint of its kind (see `impliedErrors` in implied-errors.ts).
   */
  readonly errors: readonly ErrorCode[];
  readonly handler: (call: Call<A, P, Q, B>, context: AppContext) => Promise<Reply>;
}

/** The declared response of a status. */
export function declaredResponse({ success }: Endpoint, status: number): SuccessResponse {
  return success.otherwise?.[status] ?? success;
}

/** Keeps the types of one endpoint for its declaration. The list of all endpoints drops them. */
export function defineEndpoint<
  const A extends AuthKind,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(endpoint: Endpoint<A, P, Q, B>): Endpoint {
  return endpoint as unknown as Endpoint;
}
