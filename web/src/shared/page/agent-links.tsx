/** An agent and an instance by their names, as links to their pages. */
import { Link } from '@tanstack/react-router';
import { ForeignText } from '../exact/foreign-text.tsx';

interface AgentLinkProps {
  readonly slug: string;
  /** As it is now, or as it was when something happened. */
  readonly name: string;
}

export function AgentLink({ slug, name }: AgentLinkProps) {
  return (
    <Link to="/agents/$slug" params={{ slug }}>
      <ForeignText text={name} isName />
    </Link>
  );
}

/** `name`: of the instance. The page lists those whose names contain it. */
export function InstanceLink({ slug, name }: AgentLinkProps) {
  return (
    <Link to="/agents/$slug/instances" params={{ slug }} search={{ q: name }}>
      <ForeignText text={name} isName />
    </Link>
  );
}
