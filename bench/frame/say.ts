/** What a run prints while it measures. */
export function say(text: string): void {
  console.log(`· ${text}`);
}
