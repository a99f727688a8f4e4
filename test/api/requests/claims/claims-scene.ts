/** The scene of the tests of claims: a path of three levels, an agent on it and one without a path. */
import { REVIEWER, scene, type Scene } from '../../../support/scene.ts';

type Person = 'ada' | 'bob' | 'cleo' | 'outsider';

export interface ClaimsScene extends Scene<Person, 'night', 'bot' | 'free'> {
  /** When the request changed last, as the API says it. */
  readonly updatedAt: (id: string) => Promise<string>;
}

/** Call it at the top of a test file, as `scene`. */
export async function claimsScene(): Promise<ClaimsScene> {
  const set = await scene({
    people: { ada: REVIEWER, bob: REVIEWER, cleo: REVIEWER, outsider: REVIEWER },
    teams: { night: ['bob'] },
    paths: { 'on-call': [['ada'], ['night'], ['cleo']] },
    pipelines: { bot: 'on-call', free: {} },
  });
  return { ...set, updatedAt: async (id) => String((await set.read(id))['updated_at']) };
}

const MINUTE_MS = 60_000;

/** The instant so many minutes later. */
export const after = (instant: Date, minutes: number): Date =>
  new Date(instant.getTime() + minutes * MINUTE_MS);
