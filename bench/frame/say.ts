/** What a run prints while it measures, and where its workflows are. */

export const NAMESPACE = 'countersign';

export function say(text: string): void {
  console.log(`· ${text}`);
}
