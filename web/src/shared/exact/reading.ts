/** What a reader of a request has opened and was shown, in all places that draw the same value. */
import { createContext, use } from 'react';

export interface Reading {
  /** Resolves once it is recorded that this reader sees these values. */
  readonly reveal: (pointers: readonly string[]) => Promise<void>;
  readonly isRevealed: (pointer: string) => boolean;
  /** A value that was cut is shown whole. Values are named by where they begin in the arguments. */
  readonly open: (offset: number) => void;
}

const NOTHING: Reading = {
  reveal: () => Promise.reject(new Error('nothing to reveal')),
  isRevealed: () => false,
  open: () => undefined,
};

export const ReadingContext = createContext<Reading>(NOTHING);

export const useReading = (): Reading => use(ReadingContext);
