/** How often a test lets calls race: enough to show a missing lock. `TEST_ROUNDS=100` looks for what is rarer. */
export const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 3);
