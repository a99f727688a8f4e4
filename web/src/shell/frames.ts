const HIDDEN_MS = 500;

/** Resolves once the browser has drawn what is under way. A hidden page draws nothing, so the wait has a limit. */
export async function nextFrame(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const drawn = () => {
    resolve(undefined);
  };
  setTimeout(drawn, HIDDEN_MS);
  requestAnimationFrame(() => setTimeout(drawn));
  await promise;
}
