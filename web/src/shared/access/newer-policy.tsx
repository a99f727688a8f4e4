/** Someone else changed a policy while it was edited. Nothing of it is written over unseen. */
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import note from '../design/note.module.css';
import { permissionText } from '../text/permissions.ts';
import type { Policy, Resource, Terms } from './access-data.ts';
import classes from './access.module.css';
import { PolicySentence } from './policy-sentence.tsx';
import { editor as text } from './text.ts';

interface NewerPolicyProps {
  /** Undefined where it was revoked. */
  readonly newer: Policy | undefined;
  readonly terms: Terms;
  readonly resources: readonly Resource[];
  readonly onKeep: (newer: Policy) => void;
  readonly onTake: (newer: Policy) => void;
}

export function NewerPolicy({ newer, terms, resources, onKeep, onTake }: NewerPolicyProps) {
  const [isComparing, setComparing] = useState(false);
  if (!newer)
    return (
      <p role="alert" className={note['warning']}>
        {text.gone}
      </p>
    );
  return (
    <div role="alert" className={`${note['warning'] ?? ''} ${classes['newer'] ?? ''}`}>
      <p>
        {text.changed} <PolicySentence terms={newer} resources={resources} />
      </p>
      {isComparing && (
        <>
          <p>
            {text.yours} <PolicySentence terms={terms} resources={resources} />
          </p>
          <Only label={text.onlyTheirs} keys={newer.permissions} others={terms.permissions} />
          <Only label={text.onlyYours} keys={terms.permissions} others={newer.permissions} />
        </>
      )}
      <div className={classes['buttons']}>
        {!isComparing && (
          <Button
            isSecondary
            onClick={() => {
              setComparing(true);
            }}
          >
            {text.compare}
          </Button>
        )}
        <Button
          isSecondary
          onClick={() => {
            onKeep(newer);
          }}
        >
          {text.keepMine}
        </Button>
        <Button
          isSecondary
          onClick={() => {
            onTake(newer);
          }}
        >
          {text.takeTheirs}
        </Button>
      </div>
    </div>
  );
}

interface OnlyProps {
  readonly label: string;
  readonly keys: readonly string[];
  readonly others: readonly string[];
}

function Only({ label, keys, others }: OnlyProps) {
  const only = keys.filter((key) => !others.includes(key));
  if (only.length === 0) return null;
  return (
    <div>
      <p>{label}</p>
      <ul>
        {only.map((key) => (
          <li key={key}>{permissionText(key)}</li>
        ))}
      </ul>
    </div>
  );
}
