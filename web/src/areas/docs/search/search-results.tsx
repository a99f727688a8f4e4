/** The places in the guides that have all words of a search. */
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { GuideLink } from '../guide-link.tsx';
import { docs as text } from '../text.ts';
import { findSections, marked, wordsOf, type Found } from './find.ts';
import { searched } from './sections.ts';
import classes from './search.module.css';

/** Further ones are no use: another word narrows them down. */
const MOST_SHOWN = 30;

export function SearchResults({ q }: { readonly q: string }) {
  useTitle(text.search);
  const query = q.trim();
  const found = findSections(query, searched);
  return (
    <div className={classes['results']}>
      <div role="status">
        <h1>
          {text.found(found.length)} “<ForeignText text={query} isName />”
        </h1>
      </div>
      {found.length === 0 && <p>{text.noneHint}</p>}
      <ol className={classes['list']}>
        {found.slice(0, MOST_SHOWN).map((each) => (
          <Result key={`${each.guide}#${each.anchor}`} found={each} words={wordsOf(query)} />
        ))}
      </ol>
      {found.length > MOST_SHOWN && <p className={classes['more']}>{text.most(MOST_SHOWN)}</p>}
    </div>
  );
}

function Result({ found, words }: { readonly found: Found; readonly words: readonly string[] }) {
  const { guide, anchor, title, heading, excerpt } = found;
  return (
    <li className={classes['result']}>
      <GuideLink guide={guide} anchor={anchor}>
        <Marked value={heading === '' ? title : heading} words={words} />
      </GuideLink>
      {heading !== '' && <span className={classes['of']}>{title}</span>}
      <p>
        <Marked value={excerpt} words={words} />
      </p>
    </li>
  );
}

function Marked({ value, words }: { readonly value: string; readonly words: readonly string[] }) {
  return marked(value, words).map((piece, index) =>
    index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
  );
}
