/** What helps with a big value: searching in it, folding it, and copying it as it was sent. */
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { hiddenCount, type Hidden } from '../../../../../src/domain/shown/hidden.ts';
import { SourceValue } from '../../../../../src/platform/json/source-values.ts';
import { useSettled } from '../../browser/settled.ts';
import { LinkButton } from '../../design/buttons/link-button.tsx';
import { exact as words } from '../../text/exact.ts';
import { CopyLink } from '../copy-link.tsx';
import { CutText } from '../cut-text.tsx';
import { useReading } from '../reading.ts';
import { copyOf, MOST_FOUND, stillHidden, valuesWith } from './json-search.ts';
import classes from './json-tools.module.css';

interface ToolsProps {
  readonly value: SourceValue;
  readonly label: string;
  readonly hidden: Hidden;
  readonly root: string;
  readonly isFolded: boolean;
  /** Folds what is right inside the value, or opens everything. Undefined where nothing can be folded. */
  readonly foldAll: (() => void) | undefined;
  /** Scrolls to a value, by its number in the tree. */
  readonly show: (node: number | undefined) => void;
}

export function JsonTools({ value, label, hidden, root, isFolded, foldAll, show }: ToolsProps) {
  const { isRevealed } = useReading();
  const left = useMemo(
    () => stillHidden(hidden, (offset) => isRevealed(`${root}${value.from(offset).pointer}`)),
    [value, hidden, root, isRevealed],
  );
  return (
    <div className={classes['tools']} role="group" aria-label={words.tools(label)}>
      <Search {...{ value, label, show }} hidden={left} />
      {foldAll && <LinkButton onClick={foldAll}>{isFolded ? words.unfold : words.fold}</LinkButton>}
      <CopyLink
        label={words.copy}
        textOf={() => copyOf(value, left)}
        done={words.copied(hiddenCount(left))}
      />
    </div>
  );
}

function Search({
  value,
  label,
  hidden,
  show,
}: Pick<ToolsProps, 'value' | 'label' | 'hidden' | 'show'>) {
  const [text, setText] = useState('');
  const wanted = useSettled(text);
  const found = useMemo(
    () => (wanted === '' ? [] : valuesWith(value, wanted, hidden)),
    [value, wanted, hidden],
  );
  const [at, setAt] = useState(0);
  const node = found[at];
  const showNode = useEffectEvent(show);
  useEffect(() => {
    showNode(node);
  }, [node]);
  const go = (by: number) => {
    if (found.length > 0) setAt((at + by + found.length) % found.length);
  };
  return (
    <>
      <input
        type="search"
        className={classes['search']}
        aria-label={words.search(label)}
        placeholder={words.searchHint}
        maxLength={200}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          go(event.shiftKey ? -1 : 1);
        }}
      />
      <Found {...{ value, node, at }} isAsked={wanted !== ''} all={found.length} />
      {found.length > 1 && <Steps go={go} />}
    </>
  );
}

interface FoundProps {
  readonly value: SourceValue;
  readonly node: number | undefined;
  readonly at: number;
  readonly all: number;
  readonly isAsked: boolean;
}

/** Which one of how many, and its place. */
function Found({ value, node, at, all, isAsked }: FoundProps) {
  return (
    <span role="status" className={classes['found']}>
      {isAsked && node === undefined && words.notFound}
      {node !== undefined && (
        <>
          {words.found(at + 1, all, all === MOST_FOUND)}{' '}
          <code>
            <CutText text={new SourceValue(value.tree, node).pointer} />
          </code>
        </>
      )}
    </span>
  );
}

function Steps({ go }: { readonly go: (by: number) => void }) {
  return (
    <>
      <LinkButton
        onClick={() => {
          go(-1);
        }}
      >
        {words.previous}
      </LinkButton>
      <LinkButton
        onClick={() => {
          go(1);
        }}
      >
        {words.next}
      </LinkButton>
    </>
  );
}
