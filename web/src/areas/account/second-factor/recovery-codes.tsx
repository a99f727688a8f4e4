/** Recovery codes, which the service shows once. */
import { useEffect, useRef } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { CopyButton } from '../../../shared/design/buttons/copy-button.tsx';
import { security as text } from '../security-text.ts';
import classes from './second-factor.module.css';

export function RecoveryCodes({
  codes,
  email,
  onSaved,
}: {
  readonly codes: readonly string[];
  readonly email: string;
  readonly onSaved: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <div className={classes['codes']}>
      <h3 ref={heading} tabIndex={-1}>
        {text.codesTitle}
      </h3>
      <p>{text.codesHint}</p>
      <ol aria-label={text.codesList} className={classes['list']}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={classes['actions']}>
        <Button
          onClick={() => {
            download(text.codesFile, [text.codesFileTitle(email), '', ...codes, ''].join('\n'));
          }}
        >
          {text.downloadCodes}
        </Button>
        <CopyButton label={text.copyCodes} value={codes.join('\n')} />
        <Button isSecondary onClick={onSaved}>
          {text.codesSaved}
        </Button>
      </div>
    </div>
  );
}

const READ_BY_MS = 60_000;

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read it only after this turn.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, READ_BY_MS);
}
