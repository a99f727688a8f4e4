/** A hidden page draws nothing. */
const HIDDEN_MS = 500;

/** Resolves once the browser has drawn what is under way, or soon if it draws nothing. */
export async function nextDraw(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const drawn = () => {
    resolve(undefined);
  };
  setTimeout(drawn, HIDDEN_MS);
  requestAnimationFrame(() => setTimeout(drawn));
  await promise;
}
