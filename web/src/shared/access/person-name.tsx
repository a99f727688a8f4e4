/** A person on pages that readers see who may not see members: a link, or for them the name alone. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { ForeignText } from '../exact/foreign-text.tsx';
import { PersonLink } from '../page/person-links.tsx';
import { accountQuery, hasPermission } from '../session/session.ts';

interface PersonNameProps {
  /** Of the membership. */
  readonly id: string;
  readonly name: string;
}

export function PersonName(person: PersonNameProps) {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (hasPermission(account, 'membership.read')) return <PersonLink {...person} />;
  return <ForeignText text={person.name} isName />;
}
