/** One page of the guides. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Suspense, useLayoutEffect, useRef } from 'react';
import { Loading, NothingHere } from '../../../shared/page/states.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { guideQuery, outlines } from '../guides.ts';
import { docs as text } from '../text.ts';
import { Blocks } from './blocks.tsx';
import classes from './guide-page.module.css';

export function GuidePage({ id }: { readonly id: string }) {
  const title = outlines.get(id)?.title;
  if (title === undefined) return <NothingHere />;
  return (
    <Suspense fallback={<Loading />}>
      <Content key={id} id={id} title={id === '' ? text.title : title} />
    </Suspense>
  );
}

function Content({ id, title }: { readonly id: string; readonly title: string }) {
  useTitle(title);
  const { data: guide } = useSuspenseQuery(guideQuery(id));
  const hash = useLocation({ select: (location) => location.hash });
  const article = useRef<HTMLElement>(null);
  // What an address names is there only once the page is.
  useLayoutEffect(() => {
    if (hash === '') return;
    const heading = document.getElementById(hash);
    if (!heading || !article.current?.contains(heading)) return;
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }, [hash]);
  return (
    <article ref={article} className={classes['article']}>
      <Blocks {...guide} />
    </article>
  );
}
