/** The title of the browser's tab. */
import { useEffect } from 'react';
import { session } from '../text/session.ts';

let shown: string = session.product;
let waiting = 0;

function draw(): void {
  document.title = waiting > 0 ? `(${session.count(waiting)}) ${shown}` : shown;
}

export function useTitle(title: string): void {
  useEffect(() => {
    shown = `${title} · ${session.product}`;
    draw();
  }, [title]);
}

/** Puts how many requests wait for the reader before the title of every page, while it is used. */
export function useTitleCount(requests: number): void {
  useEffect(() => {
    waiting = requests;
    draw();
    return () => {
      waiting = 0;
      draw();
    };
  }, [requests]);
}
