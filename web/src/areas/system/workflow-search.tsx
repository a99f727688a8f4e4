/** Leads to the workflow of a request in the Temporal UI. */
import { useState } from 'react';
import { Button, ButtonLink } from '../../shared/design/button.tsx';
import { TextBox } from '../../shared/design/fields/text-box.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { system as text } from './text.ts';
import classes from './system.module.css';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

export function WorkflowSearch({ base }: { readonly base: string | undefined }) {
  const [typed, setTyped] = useState('');
  const id = ID.exec(typed)?.[0]?.toLowerCase();
  if (base === undefined) return <Panel title={text.workflow} hint={text.noUi} children={null} />;
  return (
    <Panel title={text.workflow} hint={text.workflowHint}>
      <div className={classes['search']}>
        <TextBox
          label={text.requestId}
          value={typed}
          onChange={setTyped}
          maxLength={300}
          isMono
          problem={typed !== '' && id === undefined ? text.notAnId : undefined}
        />
        {id === undefined ? (
          <Button isSecondary disabled>
            {text.openWorkflow}
          </Button>
        ) : (
          <ButtonLink
            isSecondary
            // eslint-disable-next-line no-restricted-syntax -- The configuration names the address, http or https.
            href={base + encodeURIComponent(id)}
            target="_blank"
            rel="noreferrer"
          >
            {text.openWorkflow}
          </ButtonLink>
        )}
      </div>
    </Panel>
  );
}
