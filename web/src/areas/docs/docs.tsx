/** The guides: a search and the list of pages at the side of the page that is open, or of what the search finds. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../../shared/browser/new-build.ts';
import { SearchField } from '../../shared/design/fields/search-field.tsx';
import { Loading } from '../../shared/page/states.tsx';
import { GuidePage } from './page/guide-page.tsx';
import { PageList } from './page-list.tsx';
import { docs as text } from './text.ts';
import classes from './docs.module.css';

const SearchResults = lazy(async () => {
  const { SearchResults: component } = await loadPart(() => import('./search/search-results.tsx'));
  return { default: component };
});

export function Docs() {
  const { q = '' } = useSearch({ from: '/docs' });
  const { folder, page = '' } = useParams({ strict: false });
  const id = folder === undefined ? page : `${folder}/${page}`;
  const navigate = useNavigate();
  const [isListOpen, setListOpen] = useState(false);
  // The list of a phone closes once it led somewhere.
  const [openAt, setOpenAt] = useState(id);
  if (openAt !== id) {
    setOpenAt(id);
    setListOpen(false);
  }
  return (
    <div className={classes['docs']}>
      <div className={classes['side']}>
        <SearchField
          label={text.search}
          q={q}
          onSearch={(typed) =>
            void navigate({
              to: '.',
              search: typed.trim() === '' ? {} : { q: typed },
              replace: true,
            })
          }
        />
        <button
          type="button"
          className={classes['menu']}
          aria-expanded={isListOpen}
          aria-controls="guideList"
          onClick={() => {
            setListOpen(!isListOpen);
          }}
        >
          {text.menu}
        </button>
        <PageList id={id} isOpen={isListOpen} />
      </div>
      <div className={classes['page']}>
        {q === '' ? (
          <GuidePage id={id} />
        ) : (
          <Suspense fallback={<Loading />}>
            <SearchResults q={q} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
