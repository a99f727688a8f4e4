/** What all cards of a path need. */
import { createContext, useContext } from 'react';
import type { EscalationWarning } from '../paths-data.ts';
import type { Names } from '../targets-data.ts';
import type { HoursView } from '../document/read-path.ts';

interface Cards {
  readonly names: Names;
  readonly hours: readonly HoursView[];
  readonly warnings: readonly EscalationWarning[];
  /** Everyone is then the whole team. */
  readonly isPolicy?: boolean;
}

export const CardsContext = createContext<Cards>({ names: new Map(), hours: [], warnings: [] });

export const useCards = (): Cards => useContext(CardsContext);

/** The node that is looked at, in the cards or in the picture. */
export interface Looked {
  readonly active: string | undefined;
  readonly onActive: (nodeId: string | undefined) => void;
}

export const LookedContext = createContext<Looked>({
  active: undefined,
  onActive: () => undefined,
});
