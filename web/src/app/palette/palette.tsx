/** Leads to pages, requests, agents, people, rules and guides by a few letters. */
import { useRouter } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent } from 'react';
import { MOST_TYPED } from '../../shared/browser/most-typed.ts';
import { useHeldSingleKeys } from '../../shared/browser/single-keys.ts';
import { Modal } from '../../shared/design/dialogs/modal.tsx';
import { palette as text } from './text.ts';
import { session } from '../../shared/text/session.ts';
import { grouped, type Item } from './items.ts';
import { Options } from './options.tsx';
import { keepRecent } from './recent.ts';
import { useItems, type FoundItems } from './use-items.ts';
import classes from './palette.module.css';

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const router = useRouter();
  const [typed, setTyped] = useState('');
  const found = useItems(typed);
  useHeldSingleKeys();
  const open = (item: Item | undefined) => {
    if (!item) return;
    keepRecent(item);
    onClose();
    // A page that would lose something asks before it is left.
    router.history.push(item.href);
  };
  const groups = grouped(found.items);
  const options = groups.flatMap(({ items }) => items);
  const choice = useChoice(options, open);
  const count = options.length;
  return (
    <Modal labelledBy={`${id}-title`} isWide onClose={onClose}>
      <div className={classes['palette']}>
        <h2 id={`${id}-title`} className="visually-hidden">
          {text.title}
        </h2>
        <input
          type="text"
          role="combobox"
          className={classes['field']}
          aria-label={text.label}
          aria-expanded={count > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={count > 0 ? `${id}-${choice.at}` : undefined}
          placeholder={text.label}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={MOST_TYPED}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            choice.reset();
          }}
          onKeyDown={choice.onKeyDown}
        />
        <Options id={id} groups={groups} at={choice.at} onOpen={open} />
        <Status found={found} count={count} isTyped={typed.trim() !== ''} />
      </div>
    </Modal>
  );
}

/** The active option, which keys move. It is the first one until then. */
function useChoice(options: readonly Item[], open: (item: Item | undefined) => void) {
  const [chosen, setChosen] = useState<string>();
  const at = Math.max(
    0,
    options.findIndex(({ href }) => href === chosen),
  );
  const move = (by: number) => {
    setChosen(options[(at + by + options.length) % options.length]?.href);
  };
  return {
    at,
    reset: () => {
      setChosen(undefined);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.nativeEvent.isComposing) return;
      if (event.key === 'ArrowDown') move(1);
      else if (event.key === 'ArrowUp') move(-1);
      else if (event.key === 'Enter') open(options[at]);
      else return;
      event.preventDefault();
    },
  };
}

interface StatusProps {
  readonly found: FoundItems;
  readonly count: number;
  readonly isTyped: boolean;
}

function Status({ found: { isSearching, failed, notes }, count, isTyped }: StatusProps) {
  const result = isTyped ? (count === 0 ? text.none : text.found(count)) : text.keys;
  return (
    <>
      <div role="status" className={classes['status']}>
        <p>{isSearching ? text.searching : result}</p>
        {failed.map(({ group }) => (
          <p key={group}>{text.failed(text.groups[group])}</p>
        ))}
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
      {failed.length > 0 && (
        <button
          type="button"
          className={classes['retry']}
          onClick={() => {
            for (const { refetch } of failed) void refetch();
          }}
        >
          {session.retry}
        </button>
      )}
    </>
  );
}
