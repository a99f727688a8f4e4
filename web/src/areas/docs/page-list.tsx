/** All pages of the guides, by group, with the headings of the one that is open. */
import { GuideLink } from './guide-link.tsx';
import { groups, outlines } from './guides.ts';
import { docs as text } from './text.ts';
import classes from './docs.module.css';

/** `isOpen`: on narrow screens, where it is a menu. `id`: of the page that is open. */
export function PageList({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
  return (
    <nav
      id="guideList"
      aria-label={text.pages}
      className={classes['list']}
      data-open={isOpen || undefined}
    >
      <GuideLink guide="" activeOptions={{ exact: true }}>
        {text.index}
      </GuideLink>
      {groups.map(({ title, guides }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul>
            {guides.map((guide) => (
              <li key={guide}>
                <GuideLink
                  guide={guide}
                  activeOptions={{ exact: true, includeHash: false, includeSearch: false }}
                >
                  {outlines.get(guide)?.title ?? guide}
                </GuideLink>
                {guide === id && <Headings guide={guide} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <a href="/api/docs">{text.reference}</a>
    </nav>
  );
}

function Headings({ guide }: { readonly guide: string }) {
  const headings = (outlines.get(guide)?.headings ?? []).filter(({ level }) => level === 2);
  if (headings.length < 2) return null;
  return (
    <ul aria-label={text.onThisPage} className={classes['headings']}>
      {headings.map(({ anchor, text: heading }) => (
        <li key={anchor}>
          <GuideLink guide={guide} anchor={anchor} activeOptions={{ includeHash: true }}>
            {heading}
          </GuideLink>
        </li>
      ))}
    </ul>
  );
}
