/** Around the fields of a section: what its changes mean, saving them, and what became of that. */
import { useState, type ReactNode } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { useFirstProblem } from '../../shared/design/fields/first-problem.ts';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import note from '../../shared/design/note.module.css';
import { Panel } from '../../shared/design/panel.tsx';
import { settings as text } from './text.ts';
import type { Section } from './use-section.ts';
import classes from './settings.module.css';

interface SectionPanelProps {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly section: Section;
  /** What the changes bring about, a sentence each. */
  readonly effects: readonly string[];
  /** Of what was typed: it cannot be saved like this. */
  readonly isInvalid?: boolean;
  readonly children: ReactNode;
}

export function SectionPanel(props: SectionPanelProps) {
  const { title, hint, section, effects, isInvalid = false, children } = props;
  const { hasChanges, isSaved, isSaving, isConflict, error, refusal, save, discard } = section;
  const [refusals, setRefusals] = useState(0);
  const form = useFirstProblem<HTMLFormElement>(refusals, refusal);
  return (
    <Panel title={title} hint={hint}>
      <form
        ref={form}
        className={classes['section']}
        aria-label={title}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isInvalid) setRefusals(refusals + 1);
          else if (hasChanges) save();
        }}
      >
        {children}
        {isConflict && (
          <p role="alert" className={note['warning']}>
            {hasChanges ? text.conflict : text.conflictSame}
          </p>
        )}
        <div role="alert" className={classes['problem']}>
          {error?.message}
        </div>
        {hasChanges && (
          <div className={classes['save']}>
            <ul className={classes['effects']}>
              {effects.map((effect) => (
                <li key={effect}>{effect}</li>
              ))}
            </ul>
            <div className={classes['buttons']}>
              <Button type="submit" aria-disabled={isInvalid} aria-busy={isSaving}>
                {isSaving ? text.saving : text.save}
              </Button>
              <LinkButton onClick={discard}>{text.discard}</LinkButton>
            </div>
          </div>
        )}
        <p role="status" className={classes['saved']}>
          {isSaved && !hasChanges && text.saved}
        </p>
      </form>
    </Panel>
  );
}
