/** What became of each message. */
import {
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { Empty, NoMatch } from '../../../shared/page/empty.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { deliveriesQuery, retryDelivery } from './deliveries-data.ts';
import { knownOf, type DeliveriesSearch } from './shown.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Filters } from './filters.tsx';
import { RetryAll } from './retry-all.tsx';
import { deliveries as text } from './text.ts';
import classes from './deliveries.module.css';
import { Page } from '../../../shared/page/page.tsx';

export function Deliveries() {
  useTitle(text.title);
  const search = knownOf(useSearch({ from: '/signed-in/settings/deliveries' }));
  const navigate = useNavigate({ from: '/settings/deliveries' });
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!hasPermission(account, 'connection.read'))
    return <MissingPermission permission="connection.read" />;
  const change = (wanted: DeliveriesSearch) => void navigate({ search: wanted, replace: true });
  return (
    <Page title={text.title} hint={text.hint}>
      <Filters {...{ search, change }} />
      <List {...{ search, change }} canWrite={hasPermission(account, 'connection.write')} />
    </Page>
  );
}

interface ListProps {
  readonly search: DeliveriesSearch;
  readonly change: (search: DeliveriesSearch) => void;
  readonly canWrite: boolean;
}

function List({ search, change, canWrite }: ListProps) {
  const queries = useQueryClient();
  const list = useInfiniteQuery(deliveriesQuery(search));
  const readAgain = async () => {
    await Promise.all(
      [['deliveries'], ['dead-deliveries']].map(
        async (queryKey) => await queries.invalidateQueries({ queryKey }),
      ),
    );
  };
  const retry = useMutation({
    mutationFn: retryDelivery,
    onSuccess: () => {
      showToast(text.retried);
    },
    onSettled: readAgain,
  });
  // Those of the filter before are not what the reader sees chosen.
  const shown = list.isPlaceholderData ? [] : (list.data?.pages ?? []);
  const dead = shown
    .flatMap((page) => page.notification_deliveries)
    .flatMap(({ id, status }) => (status === 'dead' ? [id] : []));
  return (
    <>
      <RetryAll key={JSON.stringify(search)} ids={dead} canWrite={canWrite} onDone={readAgain} />
      {retry.isError && <p role="alert">{retry.error.message}</p>}
      <PagedList
        list={list}
        rowsOf={(page) => page.notification_deliveries}
        none={<None {...{ search, change }} />}
      >
        {(rows) => (
          <ul aria-label={text.list} className={classes['rows']}>
            {rows.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                {...{ delivery, search }}
                onRetry={
                  canWrite
                    ? () => {
                        retry.mutate(delivery.id);
                      }
                    : undefined
                }
              />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function None({ search, change }: Omit<ListProps, 'canWrite'>) {
  const names = Object.keys(search);
  if (names.length === 0)
    return (
      <Empty title={text.none}>
        <p>{text.noneHint}</p>
      </Empty>
    );
  const isDeadOnly = names.length === 1 && search.delivery === 'dead';
  return (
    <NoMatch
      title={isDeadOnly ? text.noneDead : text.noMatch}
      onClear={() => {
        change({});
      }}
    >
      {isDeadOnly && <p>{text.noneDeadHint}</p>}
    </NoMatch>
  );
}
