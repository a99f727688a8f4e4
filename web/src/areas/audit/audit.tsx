/** The audit log of the organization. The open edition has it on the command line alone. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { Page } from '../../shared/page/page.tsx';
import { MissingPermission } from '../../shared/page/states.tsx';
import { accountQuery, hasPermission, signInOptionsQuery } from '../../shared/session/session.ts';
import type { AuditSearch } from './audit-search.ts';
import { ChainState } from './chain-state.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { EventList } from './event-list.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { Filters } from './filters.tsx';
import { OpenEdition } from './open-edition.tsx';
import { audit as text, exporting } from './text.ts';

export function Audit() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { data: options } = useSuspenseQuery(signInOptionsQuery);
  if (hasPermission(account, 'audit.read')) return <Log />;
  if (options.edition === 'hosted') return <MissingPermission permission="audit.read" />;
  return (
    <Page title={text.title} hint={text.hint}>
      <OpenEdition />
    </Page>
  );
}

function Log() {
  const search = useSearch({ from: '/signed-in/settings/audit' });
  const navigate = useNavigate({ from: '/settings/audit' });
  const [isExporting, setExporting] = useState(false);
  const change = (wanted: AuditSearch) => void navigate({ search: wanted, replace: true });
  const show = (event: string | undefined) => {
    const { event: _before, ...rest } = search;
    void navigate({ search: { ...rest, ...(event !== undefined && { event }) }, replace: true });
  };
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={
        <Button
          isSecondary
          onClick={() => {
            setExporting(true);
          }}
        >
          {exporting.button}
        </Button>
      }
    >
      <Filters search={search} change={change} />
      <EventList search={search} change={change} show={show} />
      <ChainState />
      {search.event !== undefined && (
        <EventDrawer
          key={search.event}
          id={search.event}
          change={change}
          onClose={() => {
            show(undefined);
          }}
        />
      )}
      {isExporting && (
        <ExportDialog
          search={search}
          onClose={() => {
            setExporting(false);
          }}
        />
      )}
    </Page>
  );
}
