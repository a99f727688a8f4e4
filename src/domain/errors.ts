/**
 * Code throws only `AppError` on purpose, with a code of the catalogue, and only `api/http/problems/problem.ts` turns it into
 * the error envelope.
 */
import { errorCatalogue, type CatalogueEntry, type ErrorKind } from './error-catalogue.ts';
import type { IssueCode } from './issue-codes.ts';

export type ErrorCode = keyof typeof errorCatalogue;

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** One validation problem. `pointer` is a JSON pointer into the body, or names a parameter such as `/query/limit`. */
export interface Issue {
  readonly pointer: string;
  readonly code: IssueCode;
  readonly message: string;
}

/** What the code means, in an envelope with details. */
export function messageOf(code: ErrorCode): string {
  const { title, inDetails }: CatalogueEntry = errorCatalogue[code];
  return inDetails === undefined ? title : `${title} ${inDetails}`;
}

export interface AppErrorOptions {
  /** Public sentence for a person; that of the catalogue when absent. */
  readonly detail?: string;
  /** Public structured details, only on documented codes. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Logged, never shown. */
  readonly internal?: Readonly<Record<string, unknown>>;
  /** Whole seconds until a client should retry; undefined when unknown. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** The message, for an envelope without details. */
  readonly title: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly internal: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ?? messageOf(code), { cause: options.cause });
    this.code = code;
    this.title = options.detail ?? errorCatalogue[code].title;
    this.details = options.details;
    this.internal = options.internal;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get kind(): ErrorKind {
    return errorCatalogue[this.code].kind;
  }
}

/** The most bad fields that one response names. */
export const MAX_ISSUES = 100;

/** A 400 that lists each bad field. The envelope takes the first issue code that is in the catalogue. */
export function invalid(issues: readonly Issue[]): AppError {
  const code = issues.map((issue): string => issue.code).find(isErrorCode) ?? 'validation_failed';
  return new AppError(code, { details: { issues: issues.slice(0, MAX_ISSUES) } });
}
