/** The rules of the organization, or of one agent: read, changed, saved and activated. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { Empty } from '../../shared/page/empty.tsx';
import { Page } from '../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { accountQuery, hasPermissionFor, type Account } from '../../shared/session/session.ts';
import { activeQuery, scopeName, type RulesSearch, type Scope } from './rules-data.ts';
import { RulesPage } from './rules-page.tsx';
import { rules as text } from './text.ts';

export function Rules() {
  return <RulesOf scope={ORGANIZATION} search={NOTHING_NEW} />;
}

const ORGANIZATION: Scope = {};
const NOTHING_NEW: RulesSearch = {};

export function AgentRules() {
  const { slug = '' } = useParams({ strict: false }) as { readonly slug?: string };
  const search: RulesSearch = useSearch({ strict: false });
  return <RulesOf scope={{ agent: slug }} search={search} />;
}

function RulesOf({ scope, search }: { readonly scope: Scope; readonly search: RulesSearch }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermissionFor(account, 'pipeline.read', scope.agent);
  const active = useQuery({ ...activeQuery(scope), enabled: mayRead });
  if (!mayRead)
    return scope.agent === undefined ? (
      <OfAgents account={account} />
    ) : (
      <MissingPermission permission="pipeline.read" />
    );
  if (active.isPending) return <Loading />;
  if (!active.data) return <Failed error={active.error} reset={() => void active.refetch()} />;
  return <RulesPage key={scopeName(scope)} {...{ scope, search, account }} active={active.data} />;
}

/** For those who may read the rules of some agents, and not those of the organization. */
function OfAgents({ account }: { readonly account: Account }) {
  const slugs = account.principal.grants.flatMap(
    ({ permission, scope_kind: kind, scope_id: id }) =>
      permission === 'pipeline.read' && kind === 'agent' && id !== undefined ? [id] : [],
  );
  if (slugs.length === 0) return <MissingPermission permission="pipeline.read" />;
  return (
    <Page title={text.title}>
      <Empty title={text.ofAgentsTitle}>
        <p>{text.ofAgentsHint}</p>
        <ul>
          {[...new Set(slugs)].map((slug) => (
            <li key={slug}>
              <Link to="/agents/$slug/rules" params={{ slug }}>
                <ForeignText text={slug} isName />
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </Page>
  );
}
