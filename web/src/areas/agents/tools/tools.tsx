/** What an agent can call: its tools, by server, as its instances reported them last. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { NoneOf } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { once } from '../../../shared/api/lists.ts';
import { tools as text } from '../text.ts';
import { ToolRow } from './tool-row.tsx';
import { toolsQuery, type Tool } from './tools-data.ts';
import classes from './tools.module.css';

const FROM = '/signed-in/agents/$slug/tools';

export function Tools() {
  const { slug } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/agents/$slug/tools' });
  const list = useInfiniteQuery(toolsQuery(slug, search));
  const change = (wanted: typeof search) => void navigate({ search: wanted, replace: true });
  return (
    <Panel title={text.title} hint={text.hint}>
      <ListFilter
        label={text.search}
        choices={text.filters}
        standard="all"
        search={search}
        onChange={change}
      />
      <PagedList
        list={list}
        rowsOf={(page) => page.tools}
        none={
          <NoneOf
            search={search}
            text={text}
            onClear={() => {
              change({});
            }}
          />
        }
      >
        {(found) =>
          byServer(once(found)).map(([first, tools]) => (
            <Server key={`${first.source} ${first.server ?? ''}`} first={first} tools={tools} />
          ))
        }
      </PagedList>
    </Panel>
  );
}

type Group = readonly [first: Tool, tools: readonly Tool[]];

/** They come sorted by server. */
function byServer(tools: readonly Tool[]): readonly Group[] {
  const groups: (readonly [Tool, Tool[]])[] = [];
  for (const tool of tools) {
    const last = groups.at(-1);
    if (last && last[0].source === tool.source && last[0].server === tool.server)
      last[1].push(tool);
    else groups.push([tool, [tool]]);
  }
  return groups;
}

function Server({ first, tools }: { readonly first: Tool; readonly tools: readonly Tool[] }) {
  const { server, error } = first;
  return (
    <section className={classes['server']}>
      <h3>
        {server === undefined ? (
          text.builtIn
        ) : (
          <>
            {text.server} <ForeignText text={server} isName />
          </>
        )}
      </h3>
      {error !== undefined && (
        <p className={classes['error']}>
          {text.unread} <ForeignText text={error} />
        </p>
      )}
      <ul className={classes['tools']}>
        {tools.map((tool) => (
          <ToolRow key={tool.id} tool={tool} />
        ))}
      </ul>
    </section>
  );
}
