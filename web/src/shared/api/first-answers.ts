/**
 * The answers of a page's first calls, which came with it (api/pages/first-answers.ts). They are older than all that the
 * page hears. So what must be right is read once more after the first draw.
 */

export interface FirstAnswer {
  /** Path and query of a call of GET, as the service wrote them. */
  readonly call: string;
  /** Of the service, as its header `Date` would have it. */
  readonly date: string;
  /** When the page had come, in milliseconds of its own clock. */
  readonly cameAt: number;
  readonly body: string;
}

const answers = new Map<string, FirstAnswer>();
let hasBrought = false;

export function keepFirstAnswers(brought: Iterable<FirstAnswer>): void {
  for (const answer of brought) answers.set(answer.call, answer);
  hasBrought = answers.size > 0;
}

/** Also once all of them are taken. */
export const pageBroughtAnswers = (): boolean => hasBrought;

/** Each answer is taken once. */
export function takeFirstAnswer(call: string): FirstAnswer | undefined {
  const answer = answers.get(call);
  answers.delete(call);
  return answer;
}

/** From now on, every call asks the service. */
export function dropFirstAnswers(): void {
  answers.clear();
}
