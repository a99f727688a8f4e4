/** The running copies of an agent, with their credentials. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Panel } from '../../../shared/design/panel.tsx';
import { NoneOf } from '../../../shared/page/empty.tsx';
import { ListFilter } from '../../../shared/page/filter-bar.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { once } from '../../../shared/api/lists.ts';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { instancesQuery } from '../agents-data.ts';
import { groupsOf, instanceState, type InstanceGroup } from '../states.ts';
import { instances as text } from '../text.ts';
import { InstanceRow } from './instance-row.tsx';
import classes from './instances.module.css';

const FROM = '/signed-in/agents/$slug/instances';

export function Instances() {
  const { slug } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/agents/$slug/instances' });
  const list = useInfiniteQuery(instancesQuery(slug, search));
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
        rowsOf={(page) => page.instances}
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
        {(instances) => (
          <ul className={classes['instances']} aria-label={text.title}>
            {groupsOf(once(instances)).map((group) => (
              <Group key={group.prefix ?? group.instances[0]?.id} group={group} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

/** Many replicas with one prefix take one line, until someone opens it. */
function Group({ group: { prefix, instances } }: { readonly group: InstanceGroup }) {
  const now = useNowSeconds() * 1_000;
  if (prefix === undefined)
    return instances.map((instance) => <InstanceRow key={instance.id} instance={instance} />);
  const live = instances.filter((each) => instanceState(each, now) === 'live').length;
  return (
    <li>
      <details className={classes['group']}>
        <summary>
          <bdi>{prefix}…</bdi> <span>{text.group(instances.length, live)}</span>
        </summary>
        <ul className={classes['instances']}>
          {instances.map((instance) => (
            <InstanceRow key={instance.id} instance={instance} />
          ))}
        </ul>
      </details>
    </li>
  );
}
