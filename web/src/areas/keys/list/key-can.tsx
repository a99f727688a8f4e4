/** What a key of the organization, or of one of its people, may do. */
import { useQuery } from '@tanstack/react-query';
import { PolicySentence } from '../../../shared/access/policy-sentence.tsx';
import { namesQuery } from '../../../shared/api/names.ts';
import type { Key } from '../keys-data.ts';
import { organization as text } from '../organization/text.ts';
import { termsOfGrants } from './granted.ts';
import { MayDo } from './may-do.tsx';
import classes from '../keys.module.css';

export function KeyCan({ apiKey }: { readonly apiKey: Key }) {
  const { kind, permissions, grants } = apiKey;
  if (kind === 'organization') return <Grants grants={grants} />;
  return <MayDo permissions={permissions} everything={text.everything} />;
}

/** As sentences. An agent or a team whose name is not read yet is shown by its id. */
export function Grants({ grants }: { readonly grants: Key['grants'] }) {
  const all = termsOfGrants(grants);
  const ids = [...new Set(all.flatMap((terms) => terms.resource_ids))].toSorted();
  const { data: names } = useQuery({ ...namesQuery(ids), enabled: ids.length > 0 });
  if (all.length === 0) return <p>{text.nothing}</p>;
  return all.map((terms, index) => (
    <p key={index} className={classes['sentence']}>
      <PolicySentence
        terms={terms}
        resources={terms.resource_ids.map((id) => ({
          id,
          name: names?.get(id) ?? id,
          kind: terms.scope_kind === 'team' ? 'team' : 'agent',
        }))}
      />
      .
    </p>
  ));
}
