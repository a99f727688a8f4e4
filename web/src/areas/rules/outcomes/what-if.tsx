/** What would happen with the text as it is now: a request tried, past requests, and the changes. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import type { PipelineDiff } from '../../../../../src/domain/pipelines/diff.ts';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { Tabs } from '../../../shared/design/menus/tabs.tsx';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { countOf } from '../document/pipeline-changes.ts';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import type { TestsState } from '../editing.ts';
import { mustHold } from '../must-hold/text.ts';
import { useTests } from '../must-hold/use-tests.ts';
import { scopeName, type Scope } from '../rules-data.ts';
import { ChangeList } from './change-list.tsx';
import { PastRequests } from './past-requests.tsx';
import { outcomes as text } from './text.ts';
import { Try } from './try.tsx';
import type { Trial } from './trial.ts';
import classes from './outcomes.module.css';

const MustHoldTests = lazy(async () => {
  const tests = await loadPart(() => import('../must-hold/must-hold.tsx'));
  return { default: tests.MustHoldTests };
});

export type Panel = 'changes' | 'past' | 'tests' | 'try';

interface WhatIfProps {
  readonly scope: Scope;
  readonly document: EditedDocument;
  readonly diff: PipelineDiff | undefined;
  readonly open: Panel;
  readonly onOpen: (panel: Panel) => void;
  readonly onTrial: (trial: Trial | undefined) => void;
  /** The person, for what this browser keeps of them. */
  readonly owner: string;
  readonly onTests: (tests: TestsState) => void;
}

export function WhatIf(props: WhatIfProps) {
  const { scope, document, diff, open, onOpen, onTrial } = props;
  const tests = useReportedTests(props);
  const changes = diff ? countOf(diff) : 0;
  return (
    <section className={classes['panel']} aria-labelledby="what-if">
      <h2 id="what-if">{text.title}</h2>
      <Tabs
        label={text.title}
        open={open}
        onOpen={(key) => {
          if (key !== 'try') onTrial(undefined);
          onOpen(key);
        }}
        tabs={[
          {
            ...{ key: 'try', label: text.try },
            content: <Try scope={scope} document={document} onTrial={onTrial} />,
          },
          {
            ...{ key: 'past', label: text.past },
            content: <PastRequests scope={scope} document={document} />,
          },
          {
            ...{ key: 'changes', label: text.changes },
            ...(changes > 0 && { mark: <Badge>{changes}</Badge> }),
            content: <ChangeList diff={diff} />,
          },
          {
            ...{ key: 'tests', label: mustHold.title },
            ...(tests.failing.length > 0 && {
              mark: <Badge tone="danger">{tests.failing.length}</Badge>,
            }),
            content: (
              <Suspense>
                <MustHoldTests scope={scope} tests={tests} />
              </Suspense>
            ),
          },
        ]}
      />
    </section>
  );
}

/** The tests run whatever tab is open, and the page says which fail. */
function useReportedTests({ scope, document, owner, onTests }: WhatIfProps) {
  const { data: account } = useQuery(accountQuery);
  const isWanted =
    account !== undefined && hasPermissionFor(account, 'pipeline.write', scope.agent);
  const of = { owner, document: `pipeline:${scopeName(scope)}` };
  const tests = useTests({ scope, document, isWanted }, of);
  const { failing, isUntold } = tests;
  useEffect(() => {
    onTests({ failing, isUntold });
  }, [failing, isUntold, onTests]);
  return tests;
}
