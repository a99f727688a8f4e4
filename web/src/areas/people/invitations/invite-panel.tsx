/** Invites one person, or everyone in a pasted list. Who would be invited is named before anything is sent. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { useFirstProblem } from '../../../shared/design/fields/first-problem.ts';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextArea } from '../../../shared/design/fields/text-box.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { isOwner } from '../../../shared/session/ownership.ts';
import { hasPermission, hasPermissionFor, type Account } from '../../../shared/session/session.ts';
import { seatsQuery } from '../people-data.ts';
import { AgentChoice } from './agent-choice.tsx';
import { readInvitees, type Invitees, type Known } from './invitees.ts';
import { knownQuery, REVIEWS, type Offer, type Role } from './invitations-data.ts';
import { SendingPanel } from './sending-panel.tsx';
import { invite as text } from './text.ts';
import { useSending } from './use-sending.ts';
import classes from './invitations.module.css';

const NONE_KNOWN: Known = { members: new Set(), invited: new Set() };
const LONGEST_LIST = 50_000;
const ROLES = ['reviewer', 'agents', 'none', 'owner'] as const;

export function InvitePanel({ account }: { readonly account: Account }) {
  const sending = useSending();
  const [batch, setBatch] = useState<Offer>();
  const [round, setRound] = useState(0);
  if (batch)
    return (
      <SendingPanel
        sending={sending}
        offer={batch}
        onDone={() => {
          sending.begin();
          setBatch(undefined);
          setRound(round + 1);
        }}
      />
    );
  return (
    <InviteForm
      key={round}
      account={account}
      onSend={(emails, offer) => {
        setBatch(offer);
        sending.start({ emails, offer });
      }}
    />
  );
}

interface InviteFormProps {
  readonly account: Account;
  readonly onSend: (emails: readonly string[], offer: Offer) => void;
}

const mayGive = (account: Account, role: Role): boolean => {
  if (role === 'none') return true;
  if (role === 'owner') return isOwner(account);
  if (role === 'agents') return REVIEWS.every((each) => hasPermission(account, each));
  return REVIEWS.every((each) => hasPermissionFor(account, each, undefined));
};

function InviteForm({ account, onSend }: InviteFormProps) {
  const [pasted, setPasted] = useState('');
  const allowed = ROLES.filter((role) => mayGive(account, role));
  const [role, setRole] = useState<Role>(allowed[0] ?? 'none');
  const [agents, setAgents] = useState<readonly string[]>([]);
  /** How often it was sent. */
  const [attempts, setAttempts] = useState(0);
  const isTold = attempts > 0;
  const form = useFirstProblem<HTMLFormElement>(attempts, null);
  const known = useQuery(knownQuery(hasPermission(account, 'membership.read'))).data;
  const invitees = useMemo(() => readInvitees(pasted, known ?? NONE_KNOWN), [pasted, known]);
  const isAgentMissing = role === 'agents' && agents.length === 0;
  const submit = () => {
    setAttempts(attempts + 1);
    if (invitees.found.length > 0 && !isAgentMissing)
      onSend(
        invitees.found.map(({ email }) => email),
        { role, agents },
      );
  };
  return (
    <Panel title={text.title}>
      <form
        ref={form}
        className={classes['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextArea
          label={text.emails}
          description={text.emailsHint}
          problem={isTold ? problemOf(pasted, invitees) : undefined}
          maxLength={LONGEST_LIST}
          value={pasted}
          onChange={setPasted}
        />
        <Preview invitees={invitees} account={account} />
        <RoleChoice role={role} allowed={allowed} onChoose={setRole} />
        {role === 'agents' && (
          <AgentChoice
            account={account}
            chosen={agents}
            problem={isTold && isAgentMissing ? text.agentsMissing : undefined}
            onChange={setAgents}
          />
        )}
        <div>
          <Button type="submit">
            {invitees.found.length === 0 ? text.submitNone : text.submit(invitees.found.length)}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

interface RoleChoiceProps {
  readonly role: Role;
  readonly allowed: readonly Role[];
  readonly onChoose: (role: Role) => void;
}

function RoleChoice({ role, allowed, onChoose }: RoleChoiceProps) {
  return (
    <>
      <Select
        label={text.role}
        description={allowed.length < ROLES.length ? text.lacking : undefined}
        options={ROLES.map((each) => ({
          value: each,
          label: text.roles[each],
          isDisabled: !allowed.includes(each),
        }))}
        value={role}
        onChange={onChoose}
      />
      {text.roleHint[role] !== '' && <p className={classes['soft']}>{text.roleHint[role]}</p>}
    </>
  );
}

function problemOf(pasted: string, { found }: Invitees): string | undefined {
  if (found.length > 0) return undefined;
  return pasted.trim() === '' ? text.missing : text.noneLeft;
}

interface PreviewProps {
  readonly invitees: Invitees;
  readonly account: Account;
}

function Preview({ invitees: { found, leftOut }, account }: PreviewProps) {
  const maySeeSeats = hasPermission(account, 'organization.read');
  const { data: seats } = useQuery({ ...seatsQuery, enabled: maySeeSeats });
  if (found.length + leftOut.length === 0) return null;
  const free = seats ? Math.max(0, seats.limit - seats.used) : Number.POSITIVE_INFINITY;
  return (
    <div className={classes['preview']} role="status">
      {found.length > 0 && (
        <section>
          <h3>{text.found(found.length)}</h3>
          <ul className={classes['names']}>
            {found.map(({ email, name }) => (
              <li key={email}>
                <bdi>{email}</bdi>
                {name !== undefined && <bdi className={classes['soft']}> {name}</bdi>}
              </li>
            ))}
          </ul>
        </section>
      )}
      {leftOut.length > 0 && (
        <section>
          <h3>{text.leftOut(leftOut.length)}</h3>
          <ul className={classes['names']}>
            {leftOut.map(({ text: piece, reason }, index) => (
              <li key={`${index} ${piece}`}>
                <bdi>{piece}</bdi> <span className={classes['soft']}>{text.reasons[reason]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {found.length > free && <p className={classes['warn']}>{text.seats(free)}</p>}
    </div>
  );
}
