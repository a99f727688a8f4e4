/** The presentations of the organization, then the built-in ones. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { CutText } from '../../../shared/exact/cut-text.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { NoMatch } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { Page } from '../../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import { presentationsQuery, type Listed } from '../presentations-data.ts';
import { BUILT_IN, type PresentationsSearch } from '../presentations-search.ts';
import { presentations as text } from '../text.ts';
import { found } from './found.ts';
import classes from './presentations.module.css';

const SHOWN = 50;
const NEW = { id: 'new' } as const;
const TO_NEW = { to: '/presentations/$id', params: NEW } as const;

export function Presentations() {
  const search = useSearch({ from: '/signed-in/rules/presentations' });
  const navigate = useNavigate({ from: '/presentations' });
  const { data: account } = useSuspenseQuery(accountQuery);
  const canWrite = hasPermission(account, 'organization.settings.write');
  const canRead = canWrite || hasPermission(account, 'agent.read');
  const list = useQuery({ ...presentationsQuery, enabled: canRead });
  if (!canRead) return <MissingPermission permission="agent.read" />;
  const change = (wanted: PresentationsSearch) => void navigate({ search: wanted, replace: true });
  return (
    <Page
      title={text.title}
      hint={text.hint}
      actions={canWrite && <Button onClick={() => void navigate(TO_NEW)}>{text.create}</Button>}
    >
      <p className={classes['soft']}>{text.order}</p>
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="all"
        search={search}
        onChange={change}
      />
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} reset={() => void list.refetch()} />}
      {list.data && (
        <List
          key={`${search.q ?? ''} ${search.show ?? ''}`}
          {...search}
          {...{ canWrite, change }}
          entries={found(list.data, search)}
        />
      )}
    </Page>
  );
}

interface ListProps {
  readonly q?: string;
  readonly show?: Listed['source'];
  readonly entries: readonly Listed[];
  readonly canWrite: boolean;
  readonly change: (search: PresentationsSearch) => void;
}

function List({ q, show, entries, canWrite, change }: ListProps) {
  const [most, setMost] = useState(SHOWN);
  if (entries.length === 0)
    return (
      <NoMatch
        title={q === undefined && show === 'organization' ? text.none : text.noMatch}
        onClear={() => {
          change({});
        }}
      >
        <p>{q === undefined ? text.noneHint : text.noMatchHint}</p>
        {canWrite && q !== undefined && (
          <Link to="/presentations/$id" params={NEW} search={{ tool: q }}>
            {text.makeFor} <ForeignText text={q} isName />
          </Link>
        )}
      </NoMatch>
    );
  return (
    <>
      <ul className={classes['entries']} aria-label={text.title}>
        {entries.slice(0, most).map((entry) => (
          <Row
            key={entry.id ?? `${entry.server ?? ''} ${entry.tool}`}
            entry={entry}
            canWrite={canWrite}
          />
        ))}
      </ul>
      {entries.length > most && (
        <div>
          <LinkButton
            onClick={() => {
              setMost(most + SHOWN);
            }}
          >
            {text.more(Math.min(SHOWN, entries.length - most))}
          </LinkButton>
        </div>
      )}
    </>
  );
}

function Row({ entry, canWrite }: { readonly entry: Listed; readonly canWrite: boolean }) {
  const { id, tool, server, title, fields, updated_at: changed } = entry;
  const calls = { tool, ...(server !== undefined && { server }) };
  return (
    <li className={classes['entry']}>
      <div className={classes['head']}>
        <h2>
          {id === undefined ? (
            <Link to="/presentations/$id" params={{ id: BUILT_IN }} search={calls}>
              <ForeignText text={tool} isName />
            </Link>
          ) : (
            <Link to="/presentations/$id" params={{ id }}>
              <ForeignText text={tool} isName />
            </Link>
          )}
        </h2>
        {server !== undefined && (
          <span>
            {text.server} <ForeignText text={server} isName />
          </span>
        )}
        <Badge tone={id === undefined ? 'outline' : 'good'}>
          {id === undefined ? text.builtIn : text.own}
        </Badge>
        {id === undefined && canWrite && (
          <Link
            to="/presentations/$id"
            params={NEW}
            search={calls}
            aria-label={text.makeOwnFor(tool)}
            className={classes['make']}
          >
            {text.makeOwn}
          </Link>
        )}
      </div>
      <p>
        <CutText text={title} />
      </p>
      {/* What the fields are, so that a built-in one can be read without opening it. */}
      <p className={classes['soft']}>
        {text.fields(fields.length)}
        {fields.map(({ label, path }, index) => (
          <span key={`${path} ${index}`}>
            {index === 0 ? ': ' : ', '}
            <ForeignText text={label} isName />
          </span>
        ))}
        {changed !== undefined && (
          <>
            {' · '}
            {text.changed} <Instant at={changed} as="ago" focusable={false} />
          </>
        )}
      </p>
    </li>
  );
}
