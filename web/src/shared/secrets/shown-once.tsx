/** A secret that the service shows only once: a credential, a token, a key, a signing secret. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { useLeaving } from '../browser/leaving.ts';
import { CopyButton } from '../design/buttons/copy-button.tsx';
import { LeaveDialog } from '../design/dialogs/leave-dialog.tsx';
import note from '../design/note.module.css';
import { secrets as text } from '../text/secrets.ts';
import { maskedSecret } from './masked.ts';
import classes from './shown-once.module.css';

interface ShownOnceProps {
  /** What it is, such as `Credential of laptop`. */
  readonly title: string;
  readonly secret: string;
  /** What the file has: the names of variables with their values. A link that a person opens needs none. */
  readonly file?: { readonly name: string; readonly variables: Readonly<Record<string, string>> };
  /** What to do when it is lost. */
  readonly ifLost: ReactNode;
  readonly onStored: () => void;
  /** What needs the secret. It is given the secret, or how it looks while it is masked. */
  readonly children?: (secret: SecretText) => ReactNode;
}

export interface SecretText {
  readonly secret: string;
  readonly shown: string;
}

/** It takes the focus, because it appears in the place of the form that asked for it. */
export function ShownOnce(props: ShownOnceProps) {
  const { title, secret, file, ifLost, onStored, children } = props;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isShown, setShown] = useState(false);
  const shown = isShown ? secret : maskedSecret(secret);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <>
      <section className={classes['box']} aria-labelledby={id}>
        <h3 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h3>
        <p className={note['warning']}>{text.once}</p>
        <pre className={classes['secret']} aria-label={title} data-shown={isShown}>
          {shown}
        </pre>
        <div className={classes['row']}>
          <CopyButton value={secret} label={text.copy} />
          {file && (
            <Button
              isSecondary
              onClick={() => {
                saveAsFile(file.name, envText(file.variables));
              }}
            >
              {text.save}
            </Button>
          )}
          <Button
            isSecondary
            aria-expanded={isShown}
            onClick={() => {
              setShown(!isShown);
            }}
          >
            {isShown ? text.hide : text.show}
          </Button>
          <Button onClick={onStored}>{text.stored}</Button>
        </div>
        <p className={classes['soft']}>{ifLost}</p>
      </section>
      {children?.({ secret, shown })}
      <LeaveGuard />
    </>
  );
}

/** Leaving asks first. */
function LeaveGuard() {
  const leaving = useLeaving(true, { isKeptInPage: false });
  return <LeaveDialog leaving={leaving} title={text.leaveTitle} why={text.leaveWhy} />;
}

/** Values of tokens and addresses need no quotes, but a link may have a `#`. */
const envText = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');

function saveAsFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
