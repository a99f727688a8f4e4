/**
 * The answers of a page's first calls, which came with it (api/pages/first-answers.ts). They are older than all that the
 * page hears. So what must be right is read once more behind the first draw.
 */

const answers = new Map<string, string>();
let areKept = false;

/** `call`: path and query, as the service wrote them. `body`: of the answer to GET. */
export function keepFirstAnswers(given: Iterable<{ readonly call: string; body: string }>): void {
  for (const { call, body } of given) answers.set(call, body);
  areKept = answers.size > 0;
}

/** Whether the page brought any. */
export const hasFirstAnswers = (): boolean => areKept;

/** The body of the answer to a call, once. */
export function takeFirstAnswer(call: string): string | undefined {
  const body = answers.get(call);
  answers.delete(call);
  return body;
}

/** From now on, every call asks the service. */
export function dropFirstAnswers(): void {
  answers.clear();
}
