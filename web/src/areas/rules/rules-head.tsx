/** Whose rules these are, which revision is active, and how they are drawn. */
import { useQuery } from '@tanstack/react-query';
import { Instant } from '../../shared/design/instant.tsx';
import { SegmentedControl } from '../../shared/design/fields/segmented-control.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { PageTitle } from '../../shared/guide/page-title.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { editor as editorText } from '../../shared/text/editor.ts';
import { agentNamesQuery, type Revision, type Scope } from './rules-data.ts';
import { rules as text } from './text.ts';
import classes from './rules.module.css';

interface HeadProps {
  readonly scope: Scope;
  readonly active: Revision;
  readonly view: 'builder' | 'json';
  readonly setView: (view: 'builder' | 'json') => void;
}

export function Head({ scope, active, view, setView }: HeadProps) {
  const { activated_by: by, activated_at: at } = active;
  return (
    <div className={classes['head']}>
      <div>
        {scope.agent === undefined ? (
          <PageTitle>{text.organizationTitle}</PageTitle>
        ) : (
          <PageTitle>
            {text.agentTitle} <AgentName slug={scope.agent} />
          </PageTitle>
        )}
        <p className={classes['hint']}>
          {scope.agent === undefined ? text.asked.organization : text.asked.agent}{' '}
          {text.active(active.revision)}
          {by && at !== undefined && (
            <>
              , {text.activatedBy} <bdi>{by.display_name}</bdi>{' '}
              <Instant at={at} as="ago" focusable={false} />
            </>
          )}
          .
        </p>
      </div>
      <SegmentedControl
        label={editorText.view}
        options={[
          { value: 'builder', label: editorText.builder },
          { value: 'json', label: editorText.json },
        ]}
        value={view}
        onChange={setView}
      />
    </div>
  );
}

/** Its slug until the name is known, and for those who may not read agents. */
function AgentName({ slug }: { readonly slug: string }) {
  const { data: account } = useQuery(accountQuery);
  const mayRead = account !== undefined && hasPermission(account, 'agent.read');
  const { data: names = [] } = useQuery({ ...agentNamesQuery, retry: false, enabled: mayRead });
  return <ForeignText text={names.find((each) => each.slug === slug)?.name ?? slug} isName />;
}
