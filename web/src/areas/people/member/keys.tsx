/** The personal keys of a member that work. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { KeyName, KeyTimes, WhyBlocked } from '../../../shared/access/keys/key-facts.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { keys as text } from '../text.ts';
import { keysQuery } from './member-data.ts';

export function Keys({ member: { id } }: { readonly member: { readonly id: string } }) {
  const list = useInfiniteQuery(keysQuery(id));
  return (
    <Panel title={text.title} hint={text.hint}>
      <PagedList list={list} rowsOf={(page) => page.keys} none={<p>{text.none}</p>}>
        {(keys) => (
          <Items>
            {keys.map((key) => (
              <Item
                key={key.id}
                name={
                  <KeyName apiKey={key}>
                    <Link to="/settings/keys/$id" params={{ id: key.id }}>
                      <ForeignText text={key.name} isName />
                    </Link>
                  </KeyName>
                }
              >
                <KeyTimes apiKey={key} />
                <WhyBlocked apiKey={key} />
              </Item>
            ))}
          </Items>
        )}
      </PagedList>
      <p>
        <Link to="/settings/keys" search={{ by: id }}>
          {text.all}
        </Link>
      </p>
    </Panel>
  );
}
