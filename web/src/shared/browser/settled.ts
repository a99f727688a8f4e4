/** What a field has once the person who types pauses. */
import { useEffect, useState } from 'react';

const TYPING_MS = 200;

export function useSettled(value: string, pauseMs = TYPING_MS): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value, pauseMs]);
  return settled;
}
