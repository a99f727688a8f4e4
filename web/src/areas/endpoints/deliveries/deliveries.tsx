/** What was posted to an endpoint in the last 30 days, and what came back. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SegmentedControl } from '../../../shared/design/fields/segmented-control.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { DataTable, type Column } from '../../../shared/design/tables/data-table.tsx';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { deliveriesQuery, type Delivery } from '../endpoints-data.ts';
import { deliveries as text } from '../text.ts';
import { ReplyResult } from './reply.tsx';
import classes from './deliveries.module.css';

interface DeliveriesProps {
  readonly endpointKey: string;
  readonly result: 'all' | 'failed';
}

export function Deliveries({ endpointKey, result }: DeliveriesProps) {
  const navigate = useNavigate({ from: '/endpoints/$endpointKey' });
  const list = useInfiniteQuery(deliveriesQuery(endpointKey, result));
  return (
    <Panel title={text.title} hint={text.hint}>
      <div>
        <SegmentedControl
          label={text.filter}
          options={[
            { value: 'all', label: text.filters.all },
            { value: 'failed', label: text.filters.failed },
          ]}
          value={result}
          onChange={(wanted) =>
            void navigate({
              search: wanted === 'failed' ? { deliveries: wanted } : {},
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <PagedList list={list} rowsOf={(page) => page.deliveries} none={<None result={result} />}>
        {(rows) => (
          <DataTable label={text.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
        )}
      </PagedList>
    </Panel>
  );
}

const None = ({ result }: Pick<DeliveriesProps, 'result'>) => (
  <p className={classes['soft']}>
    {result === 'failed' ? text.noneFailed : `${text.none} ${text.noneHint}`}
  </p>
);

function About({ type, request_id: id }: Pick<Delivery, 'type' | 'request_id'>) {
  if (type === 'webhook_endpoint.test') return text.test;
  if (id === undefined) return text.preview;
  return (
    <Link to="/requests/$id" params={{ id }}>
      {text.request} <bdi>{id.slice(-SHORT)}</bdi>
    </Link>
  );
}

/** The end of an id differs, the beginning is the time. */
const SHORT = 8;

function Result(delivery: Delivery) {
  const [isShown, setShown] = useState(false);
  const { response_excerpt: excerpt } = delivery;
  return (
    <div className={classes['result']}>
      <ReplyResult {...delivery} />
      {excerpt !== undefined && excerpt !== '' && (
        <LinkButton
          onClick={() => {
            setShown(!isShown);
          }}
        >
          {isShown ? text.hideResponse : text.showResponse}
        </LinkButton>
      )}
      {isShown && excerpt !== undefined && <TextBlock text={excerpt} mono />}
    </div>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    key: 'when',
    title: text.when,
    cell: ({ attempted_at: at }) => <Instant at={at} as="clock" focusable={false} />,
  },
  { key: 'about', title: text.about, cell: (delivery) => <About {...delivery} /> },
  { key: 'result', title: text.result, cell: (delivery) => <Result {...delivery} /> },
  {
    key: 'status',
    title: text.status,
    isNumber: true,
    cell: ({ status_code: status, duration_ms: duration }) =>
      status ?? (duration === undefined ? '' : text.noStatus),
  },
  { key: 'attempt', title: text.attempt, isNumber: true, cell: ({ attempt }) => attempt },
  { key: 'revision', title: text.revision, isNumber: true, cell: ({ revision }) => revision },
  {
    key: 'duration',
    title: text.duration,
    isNumber: true,
    cell: ({ duration_ms: duration }) => (duration === undefined ? '' : text.ms(duration)),
  },
];
