/** Copying to the clipboard. */

/** Whether it did. */
export async function copyText(value: string): Promise<boolean> {
  try {
    // Absent where the page did not come over HTTPS.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    await clipboard?.writeText(value);
    return clipboard !== undefined;
  } catch {
    return false;
  }
}
