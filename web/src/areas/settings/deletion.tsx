/** Ends the organization for good. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { ConfirmByName } from '../../shared/design/dialogs/confirm-by-name.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { useSensitiveMutation } from '../../shared/session/recent-authentication.tsx';
import { dropSession } from '../../shared/session/session.ts';
import { deleteOrganization, usageQuery, type Usage } from './organization-data.ts';
import { settings as text } from './text.ts';
import { useEditing } from './use-section.ts';
import classes from './settings.module.css';

export function Deletion() {
  const { slug } = useEditing().current.organization;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { data: usage } = useQuery(usageQuery);
  const deleting = useSensitiveMutation({
    mutationFn: deleteOrganization,
    onSuccess: async () => {
      await navigate({ to: '/login', ignoreBlocker: true });
      dropSession(queries);
    },
  });
  return (
    <Panel title={text.deletion} hint={text.deletionHint}>
      <div>
        <Button
          isSecondary
          className={classes['danger'] ?? ''}
          onClick={() => {
            setOpen(true);
          }}
        >
          {text.open}
        </Button>
      </div>
      {isOpen && (
        <ConfirmByName
          title={text.deleteTitle}
          name={slug}
          doing={deleting}
          label={text.confirmDelete}
          busy={text.deleting}
          onConfirm={() => {
            deleting.mutate(slug);
          }}
          onClose={() => {
            deleting.reset();
            setOpen(false);
          }}
        >
          <WhatEnds usage={usage} />
        </ConfirmByName>
      )}
    </Panel>
  );
}

function WhatEnds({ usage }: { readonly usage: Usage | undefined }) {
  return (
    <>
      <ul className={classes['ends']}>
        {text.ends.map((end) => (
          <li key={end}>{end}</li>
        ))}
      </ul>
      {usage && (
        <p>
          {text.endsNow({
            seats: usage.seats.used,
            agents: usage.active_agents.used,
            pending: usage.pending_requests.used,
          })}
        </p>
      )}
      <p className={classes['problem']}>{text.isFinal}</p>
    </>
  );
}
