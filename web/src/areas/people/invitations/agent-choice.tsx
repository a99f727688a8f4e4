/** The agents whose requests someone may decide. */
import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { FieldGroup } from '../../../shared/design/fields/field-group.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { hasPermissionFor, type Account } from '../../../shared/session/session.ts';
import { agentChoicesQuery, REVIEWS } from './invitations-data.ts';
import { invite as text } from './text.ts';
import classes from './invitations.module.css';

interface AgentChoiceProps {
  readonly account: Account;
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

export function AgentChoice({ account, chosen, problem, onChange }: AgentChoiceProps) {
  const agents = useQuery(agentChoicesQuery);
  if (agents.isError) return <PartFailed part={agents} />;
  const offered = (agents.data ?? []).filter(({ slug }) =>
    REVIEWS.every((each) => hasPermissionFor(account, each, slug)),
  );
  return (
    <FieldGroup label={text.agents} problem={problem} className={classes['agents']}>
      {agents.data && offered.length === 0 && <p>{text.noAgents}</p>}
      {offered.map(({ slug, name }) => (
        <Checkbox
          key={slug}
          label={name}
          isChecked={chosen.includes(slug)}
          onChange={(isChecked) => {
            const others = chosen.filter((each) => each !== slug);
            onChange(isChecked ? [...others, slug] : others);
          }}
        />
      ))}
    </FieldGroup>
  );
}
