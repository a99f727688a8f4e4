/** One agent: its name, its state and what can be done to it, above the pages about it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { LinkTabs } from '../../../shared/design/menus/link-tabs.tsx';
import note from '../../../shared/design/note.module.css';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PageTitle } from '../../../shared/guide/page-title.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { agentQuery, type AgentDetail } from '../agents-data.ts';
import { AgentMark } from '../list/agent-mark.tsx';
import { isQuota, QuotaNote } from '../quota-note.tsx';
import { StopDialog } from '../stop/stop-dialog.tsx';
import { agent as text, stop } from '../text.ts';
import { useChangeAgent, useRestoreAgent } from './changes.ts';
import { useMay } from './may.ts';
import { Rename } from './rename.tsx';
import { TwoPresses } from './two-presses.tsx';
import classes from './agent.module.css';

export function Agent() {
  const { slug } = useParams({ from: '/signed-in/agents/$slug' });
  const { data: agent } = useSuspenseQuery(agentQuery(slug));
  const canChange = useMay('agent.write');
  useTitle(agent.name);
  return (
    <div className={classes['agent']}>
      <header className={classes['head']}>
        <div className={classes['heading']}>
          <Link to="/agents" activeOptions={{ exact: true }} className={classes['back']}>
            {text.all}
          </Link>
          <PageTitle>
            <ForeignText text={agent.name} isName />
          </PageTitle>
          <p className={classes['facts']}>
            <code>{agent.slug}</code>
            <AgentMark agent={agent} />
            {agent.demo && <Link to="/demo">{text.toDemo}</Link>}
          </p>
        </div>
        {canChange && <Actions agent={agent} />}
      </header>
      <Notes agent={agent} canChange={canChange} />
      <LinkTabs
        label={text.sections}
        places={[
          { to: '/agents/$slug', params: { slug }, label: text.overview },
          { to: '/agents/$slug/instances', params: { slug }, label: text.instances },
          { to: '/agents/$slug/rules', params: { slug }, label: text.rules },
          { to: '/agents/$slug/tools', params: { slug }, label: text.tools },
          { to: '/agents/$slug/activity', params: { slug }, label: text.activity },
          ...(agent.status === 'archived' || agent.demo
            ? []
            : [{ to: '/agents/$slug/connect', params: { slug }, label: text.connect } as const]),
        ]}
      />
      <Outlet />
    </div>
  );
}

function Actions({ agent }: { readonly agent: AgentDetail }) {
  const change = useChangeAgent(agent.slug);
  const [open, setOpen] = useState<'rename' | 'stop'>();
  const close = () => {
    change.reset();
    setOpen(undefined);
  };
  if (agent.status === 'archived') return null;
  return (
    <div className={classes['actions']}>
      <Button
        isSecondary
        onClick={() => {
          setOpen('rename');
        }}
      >
        {text.rename}
      </Button>
      <Button
        isSecondary
        onClick={() => {
          setOpen('stop');
        }}
      >
        {stop.open}
      </Button>
      {agent.status === 'active' && (
        <TwoPresses
          label={stop.pause}
          again={stop.pauseAgain}
          isBusy={change.isPending}
          onConfirm={() => {
            change.mutate({ status: 'disabled' });
          }}
        />
      )}
      {change.isError && open === undefined && <p role="alert">{change.error.message}</p>}
      {open === 'stop' && <StopDialog agent={agent} onClose={close} />}
      {open === 'rename' && (
        <Rename
          title={text.renameOf}
          name={agent.name}
          doing={change}
          onRename={(name) => {
            change.mutate({ name }, { onSuccess: close });
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

interface NotesProps {
  readonly agent: AgentDetail;
  readonly canChange: boolean;
}

/** What stops the agent, with the way back. */
function Notes({ agent: { slug, status }, canChange }: NotesProps) {
  const restore = useRestoreAgent(slug);
  const resume = useChangeAgent(slug);
  if (status === 'active') return null;
  const isArchived = status === 'archived';
  const doing = isArchived ? restore : resume;
  return (
    <div className={`${note['warning'] ?? ''} ${classes['note'] ?? ''}`}>
      <p>{isArchived ? `${text.archived} ${text.restored}` : text.paused}</p>
      {canChange && (
        <Button
          isSecondary
          aria-busy={doing.isPending}
          onClick={() => {
            if (doing.isPending) return;
            if (isArchived) restore.mutate();
            else resume.mutate({ status: 'active' });
          }}
        >
          {isArchived ? text.restore : text.resume}
        </Button>
      )}
      {isQuota(doing.error) && <QuotaNote error={doing.error} />}
      {doing.isError && !isQuota(doing.error) && <p role="alert">{doing.error.message}</p>}
    </div>
  );
}
