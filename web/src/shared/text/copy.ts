/** English texts of copying to the clipboard. */
export const copy = {
  code: 'Copy',
  copied: 'Copied.',
  notCopied: 'Your browser did not allow copying. Select the text and copy it yourself.',
} as const;
