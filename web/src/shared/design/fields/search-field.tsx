/** What someone looks for, above what it finds. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { MOST_TYPED } from '../../browser/most-typed.ts';
import field from './field.module.css';

const PAUSE_MS = 250;

interface SearchFieldProps {
  readonly label: string;
  readonly q: string;
  /** Some time after the last key. */
  readonly onSearch: (q: string) => void;
}

export function SearchField({ label, q, onSearch }: SearchFieldProps) {
  const router = useRouter();
  const [typed, setTyped] = useState(q);
  const [before, setBefore] = useState(q);
  // A link may lead here with another search.
  if (before !== q) {
    setBefore(q);
    setTyped(q);
  }
  useEffect(() => {
    if (typed === q) return undefined;
    const { pathname } = router.latestLocation;
    const timer = setTimeout(() => {
      // A link that was pressed meanwhile loads its page, and is not called back.
      if (router.latestLocation.pathname === pathname) onSearch(typed);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed, q, onSearch, router]);
  return (
    <input
      type="search"
      className={field['control']}
      aria-label={label}
      placeholder={label}
      maxLength={MOST_TYPED}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
      }}
    />
  );
}
