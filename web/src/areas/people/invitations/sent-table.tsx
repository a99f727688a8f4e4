/** Invitations with what they grant. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { namesQuery } from '../../../shared/api/names.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { PolicySentence } from '../../../shared/access/policy-sentence.tsx';
import { PersonLink } from '../../../shared/page/person-links.tsx';
import type { Invitation } from './invitations-data.ts';
import { invitations as text } from './text.ts';
import people from '../people.module.css';

interface SentTableProps {
  readonly sent: readonly Invitation[];
  /** What can be done with one that is pending. */
  readonly acts: (invitation: Invitation) => ReactNode;
}

export function SentTable({ sent, acts }: SentTableProps) {
  const inviters = [...new Set(sent.map((each) => each.invited_by_membership_id))].toSorted();
  const { data: names } = useQuery({ ...namesQuery(inviters), enabled: inviters.length > 0 });
  const columns: readonly Column<Invitation>[] = [
    { key: 'email', title: text.columns.email, cell: ({ email }) => <bdi>{email}</bdi> },
    { key: 'access', title: text.columns.access, cell: (each) => <Access invitation={each} /> },
    {
      key: 'by',
      title: text.columns.by,
      cell: ({ invited_by_membership_id: id }) =>
        names ? <PersonLink id={id} name={names.get(id) ?? text.someone} /> : '…',
    },
    { key: 'expires', title: text.columns.expires, cell: (each) => <End invitation={each} /> },
    {
      key: 'acts',
      title: text.columns.acts,
      cell: (each) => (each.status === 'pending' ? acts(each) : null),
    },
  ];
  return (
    <DataTable
      label={text.listTitle}
      columns={columns}
      rows={sent}
      keyOf={({ id }) => id}
      isFaded={({ status }) => status !== 'pending'}
    />
  );
}

function Access({ invitation: { grants } }: { readonly invitation: Invitation }) {
  if (grants.length === 0) return <span className={people['soft']}>{text.nothingYet}</span>;
  if (grants.some(({ is_owner: owns }) => owns === true)) return text.owner;
  return grants.map(({ scope_kind, scope_id: id, permissions }) => (
    <p key={`${scope_kind} ${id ?? ''}`}>
      <PolicySentence
        terms={{
          ...{ scope_kind, permissions, is_owner: false },
          resource_ids: id === undefined ? [] : [id],
        }}
        resources={[]}
      />
    </p>
  ));
}

function End({ invitation }: { readonly invitation: Invitation }) {
  const { status, expires_at: end, accepted_membership_id: member } = invitation;
  if (status === 'pending') return <Instant at={end} as="in" focusable={false} />;
  if (status === 'accepted' && member !== undefined)
    return <PersonLink id={member} name={text.state.accepted} />;
  return text.state[status];
}
