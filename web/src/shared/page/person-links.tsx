/** A person and a team by their names, as links to their pages. */
import { Link } from '@tanstack/react-router';
import { ForeignText } from '../exact/foreign-text.tsx';

interface NamedProps {
  readonly id: string;
  /** As it is now, or as it was when something happened. */
  readonly name: string;
}

/** `id`: of the membership. */
export function PersonLink({ id, name }: NamedProps) {
  return (
    <Link to="/people/$id" params={{ id }}>
      <ForeignText text={name} isName />
    </Link>
  );
}

export function TeamLink({ id, name }: NamedProps) {
  return (
    <Link to="/teams/$teamId" params={{ teamId: id }}>
      <ForeignText text={name} isName />
    </Link>
  );
}
