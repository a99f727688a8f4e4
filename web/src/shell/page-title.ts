/** The title of the window or tab. */
import { useEffect } from 'react';
import { session } from '../text/session.ts';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${session.product}`;
    return () => {
      document.title = session.product;
    };
  }, [title]);
}
