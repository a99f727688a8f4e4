/** What the rules would have made of the requests of the last week. It runs by itself, a moment after the last change. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { ApiError } from '../../../shared/api/api.ts';
import { useSettled } from '../../../shared/browser/settled.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { PartFailed } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { session } from '../../../shared/text/session.ts';
import { nameOf } from '../cards/rule-names.ts';
import { blockRows, ruleRows } from '../document/rule-rows.ts';
import type { Scope } from '../rules-data.ts';
import { ChangeGroups } from './change-groups.tsx';
import { Figures } from './impact-note.tsx';
import { simulationPages } from './impact.ts';
import { sumOf } from './simulation-sum.ts';
import { outcomes as text } from './text.ts';
import { Undetermined } from './undetermined.tsx';
import classes from './outcomes.module.css';

const PAUSE_MS = 500;

export function PastRequests({
  scope,
  document: { state, read },
}: {
  readonly scope: Scope;
  readonly document: EditedDocument;
}) {
  const { data: account } = useQuery(accountQuery);
  const settled = useSettled(state.text, PAUSE_MS);
  const mayRead =
    account !== undefined &&
    hasPermissionFor(account, 'request.read', scope.agent) &&
    hasPermissionFor(account, 'pipeline.write', scope.agent);
  const pages = useInfiniteQuery({
    ...simulationPages(scope, settled),
    enabled: mayRead && read.problem === undefined,
    placeholderData: keepPreviousData,
  });
  const names = useRuleNames(scope, read.value);
  if (!mayRead) return <p className={classes['hint']}>{text.missing}</p>;
  if (read.problem) return <p className={classes['hint']}>{text.fix}</p>;
  if (pages.isPending) return <p role="status">{text.working}</p>;
  if (pages.error instanceof ApiError && pages.error.status === 400)
    return <p className={classes['hint']}>{text.fix}</p>;
  if (pages.data === undefined) return <PartFailed part={pages} />;
  // What was found before stays until the new figures come.
  const isOld = pages.isPlaceholderData || settled !== state.text;
  const sum = sumOf(pages.data.pages);
  return (
    <div className={classes['past']} data-old={isOld || undefined} aria-busy={isOld}>
      <p role="status">
        <Figures simulation={sum} />
        {isOld && <span className={classes['hint']}> {text.working}</span>}
      </p>
      {/* What was read before stays. */}
      {pages.isRefetchError && <PartFailed part={pages} />}
      <ChangeGroups simulation={sum} names={names} />
      <Undetermined simulation={sum} scope={scope} document={read.value} />
      {sum.ends_at !== undefined && (
        <p className={classes['end']}>
          {text.endsAt} <Instant at={sum.ends_at} as="clock" focusable={false} />
          {' · '}
          {pages.isFetchNextPageError && <span role="alert">{session.partFailed} </span>}
          <Button
            isSecondary
            isSmall
            aria-busy={pages.isFetchingNextPage}
            onClick={() => {
              if (!pages.isFetchingNextPage) void pages.fetchNextPage();
            }}
          >
            {text.more}
          </Button>
        </p>
      )}
    </div>
  );
}

/** By their ids. What an organization's rules change may be decided by an agent's rule, which may have the same id. */
function useRuleNames(scope: Scope, document: ExactValue | undefined): ReadonlyMap<string, string> {
  return useMemo(() => {
    if (scope.agent === undefined || document === undefined) return new Map();
    const named = blockRows(ruleRows(document)).flatMap(
      ({ value }): (readonly [string, string])[] =>
        isExactObject(value) && typeof value['id'] === 'string'
          ? [[value['id'], nameOf(value)]]
          : [],
    );
    return new Map(named);
  }, [scope.agent, document]);
}
