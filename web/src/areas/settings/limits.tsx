/** The limits of the organization, with what is used of them now, and the share of one agent. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { TextBox } from '../../shared/design/fields/text-box.tsx';
import { AgentLink } from '../../shared/page/agent-links.tsx';
import { Loading, PartFailed } from '../../shared/page/states.tsx';
import { usagePoll, type Usage } from './organization-data.ts';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useSection } from './use-section.ts';
import classes from './settings.module.css';

const percent = (share: number): number => Math.round(share * 100);

/** Undefined for what is no whole number from 1 to 100. */
function shareOf(typed: string): number | undefined {
  const value = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0;
  return value >= 1 && value <= 100 ? value / 100 : undefined;
}

export function Limits() {
  const usage = useQuery(usagePoll);
  const section = useSection(['agent_pending_share']);
  const { base, shown, changed, isReadOnly, problemAt, set } = section;
  const [typed, setTyped] = useState<string>();
  const isInvalid = typed !== undefined && shareOf(typed) === undefined;
  const { agent_pending_share: wanted } = changed;
  return (
    <SectionPanel
      title={text.limits}
      hint={text.limitsHint}
      section={section}
      isInvalid={isInvalid}
      effects={
        wanted === undefined
          ? []
          : [text.shareChanged(percent(base.agent_pending_share), percent(wanted))]
      }
    >
      {usage.data && <Uses usage={usage.data} />}
      {usage.isPending && <Loading />}
      {usage.isError && <PartFailed part={usage} />}
      <TextBox
        label={text.share}
        description={text.shareHint}
        inputMode="numeric"
        value={isInvalid ? typed : String(percent(shown.agent_pending_share))}
        isReadOnly={isReadOnly}
        problem={isInvalid ? text.shareInvalid : problemAt('agent_pending_share')}
        onChange={(value) => {
          setTyped(value);
          const share = shareOf(value);
          if (share !== undefined) set({ agent_pending_share: share });
        }}
      />
    </SectionPanel>
  );
}

function Uses({ usage }: { readonly usage: Usage }) {
  const { active_agents: agents, pending_requests: pending, seats } = usage;
  const { limit, busiest } = usage.agent_pending_requests;
  return (
    <ul className={classes['uses']}>
      <Use label={text.agents} hint={text.agentsHint} {...agents} />
      <Use label={text.pending} hint={text.pendingHint} {...pending}>
        <p className={classes['soft']}>
          {busiest === undefined ? (
            text.noneWaits(limit)
          ) : (
            <>
              {text.busiest} <AgentLink slug={busiest.agent_slug} name={busiest.agent_name} />,{' '}
              {text.ofShare(busiest.used, limit)}.
            </>
          )}
        </p>
      </Use>
      <Use label={text.seats} hint={text.seatsHint} {...seats} />
    </ul>
  );
}

interface UseProps {
  readonly label: string;
  readonly hint: string;
  readonly used: number;
  readonly limit: number;
  readonly children?: ReactNode;
}

/** From here on, people should know. */
const NEAR = 0.8;

function Use({ label, hint, used, limit, children }: UseProps) {
  const part = Math.min(1, used / limit);
  return (
    <li className={classes['use']} data-near={part >= NEAR || undefined}>
      <strong>{label}</strong>
      <span className={classes['count']}>{text.used(used, limit)}</span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="4" />
        <rect width={Math.max(part > 0 ? 1 : 0, part * 100)} height="4" data-part />
      </svg>
      <p className={classes['soft']}>{hint}</p>
      {children}
    </li>
  );
}
