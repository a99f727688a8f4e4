/** What the editor of a path knows: the path as cards draw it, and what the service says of it. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { serverNow } from '../../shared/api/clock.ts';
import { useSettled } from '../../shared/browser/settled.ts';
import { refusedPlaces, type Problem } from '../../shared/editor/problems.ts';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import { readPath, type PathView } from './document/read-path.ts';
import { previewQuery, type EscalationWarning, type PreviewedCall } from './paths-data.ts';

/** The path as it could last be read: half-typed JSON does not empty the page. */
export function useLastPath({ read }: EditedDocument): PathView {
  const path = useMemo(() => (read.source ? readPath(read.source) : undefined), [read]);
  const [last, setLast] = useState(path);
  if (path && path !== last) setLast(path);
  return path ?? last ?? NOTHING;
}

const NOTHING: PathView = { name: '', hours: [], nodes: [], repeat: undefined };
const PAUSE_MS = 300;

interface Checking {
  readonly teamId: string | undefined;
  /** The service has nothing to say of what no one has begun. */
  readonly isBegun: boolean;
  /** Warnings are then about its agent. */
  readonly call: PreviewedCall | undefined;
}

/** What the service says of the text, a moment after the last change. */
export function useChecked(now: string, { teamId, isBegun, call }: Checking) {
  const settled = useSettled(now, PAUSE_MS);
  const [startsAt] = useState(() => new Date(serverNow()).toISOString());
  const { data, error } = useQuery({
    ...previewQuery(settled, {
      ...{ startsAt, urgency: 'standard', timeout: '' },
      ...(teamId !== undefined && { teamId }),
      ...(call && { call }),
    }),
    enabled: isBegun,
  });
  // The last text that had no problems keeps its schedule.
  const [good, setGood] = useState(settled);
  if (data && !error && good !== settled) setGood(settled);
  const refused = settled === now ? error : null;
  return {
    text: error ? good : settled,
    problems: useMemo(() => placesOf(refused), [refused]),
    warnings: data?.warnings ?? NO_WARNINGS,
  };
}

const NO_WARNINGS: readonly EscalationWarning[] = [];

/** The preview has the document below `/document`. */
const placesOf = (error: Error | null): readonly Problem[] =>
  refusedPlaces(error).map(({ pointer, ...problem }) => ({
    ...problem,
    pointer: pointer.replace(/^\/document/, ''),
  }));
