/** Both pipelines are one reading order: the organization's, an agent's, then people. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { activeQuery, agentNamesQuery, pipelinesQuery, type Scope } from './rules-data.ts';
import { rules as text } from './text.ts';
import { readDocument } from '../../shared/editor/problems.ts';
import classes from './rules.module.css';

interface ReadingOrderProps {
  readonly scope: Scope;
  /** Of the text that is edited. */
  readonly blocks: number;
}

export function ReadingOrder({ scope, blocks }: ReadingOrderProps) {
  const isAgent = scope.agent !== undefined;
  return (
    <nav aria-label={text.order} className={classes['order']}>
      <ol>
        <li>
          {isAgent ? (
            <Link to="/rules">{text.organization}</Link>
          ) : (
            <strong aria-current="page">{text.organization}</strong>
          )}{' '}
          · {isAgent ? <OrganizationCount /> : text.rulesText(blocks)}
        </li>
        <li>
          {isAgent ? (
            <>
              <strong aria-current="page">
                <ForeignText text={scope.agent} isName />
              </strong>{' '}
              · {text.rulesText(blocks)}
            </>
          ) : (
            <AgentLinks />
          )}
        </li>
        <li>{text.person}</li>
      </ol>
    </nav>
  );
}

function OrganizationCount() {
  const { data } = useQuery(activeQuery({}));
  if (!data) return '…';
  const value = readDocument(data.text).value as
    { readonly blocks?: readonly unknown[] } | undefined;
  return text.rulesText(value?.blocks?.length ?? 0);
}

const MOST_LINKS = 8;

function AgentLinks() {
  const { data: pipelines = [] } = useQuery(pipelinesQuery);
  const { data: names = [] } = useQuery({ ...agentNamesQuery, retry: false });
  const agents = pipelines.flatMap(({ agent_slug: slug }) => slug ?? []);
  return (
    <>
      {text.ownRules}
      {agents.slice(0, MOST_LINKS).map((slug, index) => (
        <span key={slug}>
          {index === 0 ? ': ' : ', '}
          <Link to="/agents/$slug/rules" params={{ slug }}>
            <ForeignText text={names.find((each) => each.slug === slug)?.name ?? slug} isName />
          </Link>
        </span>
      ))}
      {agents.length > MOST_LINKS && ` ${text.moreAgents(agents.length - MOST_LINKS)}`}
    </>
  );
}
