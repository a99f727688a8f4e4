/** The title of the browser's tab. */
import { useEffect } from 'react';
import { session } from '../text/session.ts';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${session.product}`;
  }, [title]);
}
