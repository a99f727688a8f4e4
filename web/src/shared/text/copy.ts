/** English texts of copying to the clipboard. */
export const copy = {
  copied: 'Copied.',
  notCopied: 'The browser did not allow the copy. Select the text and copy it yourself.',
} as const;
