/** Bodies for POST /v1/requests as text, so that the test controls every digit and byte. */

export interface Parts {
  readonly tool?: string;
  readonly arguments?: string;
  readonly timeout?: string;
  /** Further members as JSON text, for example `"server":"mail"`. */
  readonly more?: string;
}

/** A valid submission; each part is JSON source text. */
export function submission({
  tool = '"issue_refund"',
  arguments: args = '{"amount":4900}',
  timeout = '"1h"',
  more,
}: Parts = {}): string {
  return `{"tool":${tool},"arguments":${args},"timeout":${timeout}${more === undefined ? '' : `,${more}`}}`;
}

/** A body of exactly `bytes` bytes. */
export function submissionOfSize(bytes: number): string {
  const empty = submission({ arguments: '{"text":""}' });
  return submission({ arguments: `{"text":"${'x'.repeat(bytes - empty.length)}"}` });
}

/**
 * Arguments whose innermost container is at this level. The outer object of the body is level 0.
 */
export function argumentsOfDepth(level: number): string {
  return `{"a":${'['.repeat(level - 1)}${']'.repeat(level - 1)}}`;
}

/** A pipeline whose one rule answers every call. */
export const always = (outcome: 'approve' | 'deny', reason: string) => ({
  blocks: [{ id: 'rule', name: 'The rule', type: 'always', config: { outcome, reason } }],
});
