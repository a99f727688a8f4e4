/** What the rules page does with its document: who may change it, what its cards share, and the way to a card. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { ApiError } from '../../shared/api/api.ts';
import { focusPointer } from '../../shared/editor/focus-pointer.ts';
import type { Problem } from '../../shared/editor/problems.ts';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import type { Missing } from '../../shared/editor/use-revisions.ts';
import { hasPermissionFor, type Account } from '../../shared/session/session.ts';
import type { Editing } from './editing.ts';
import type { Panel } from './outcomes/what-if.tsx';
import { hasBlockOf } from './document/rule-rows.ts';
import { endpointsQuery, pathsQuery, type Scope } from './rules-data.ts';

export type View = 'builder' | 'json';

interface Places {
  readonly setView: (view: View) => void;
  readonly setOpen: (pointer: string | undefined) => void;
  readonly setPanel: (panel: Panel) => void;
}

/** Opens the card of a problem, the JSON, or the tests, and gives the field the focus. */
export function useGo({ setView, setOpen, setPanel }: Places) {
  return useCallback(
    (problem: Problem) => {
      if (problem.isAllowed) {
        setPanel('tests');
        document.querySelector('#what-if')?.scrollIntoView();
        return;
      }
      if (problem.at !== undefined) {
        setView('json');
        return;
      }
      setView('builder');
      setOpen(/^\/blocks\/\d+(?:\/config\/blocks\/\d+)*/.exec(problem.pointer)?.[0]);
      requestAnimationFrame(() => {
        requestAnimationFrame(() => {
          focusPointer(problem.pointer);
        });
      });
    },
    [setView, setOpen, setPanel],
  );
}

export function usePermissions(account: Account, { agent }: Scope): Missing {
  const missing = (permission: string) =>
    hasPermissionFor(account, permission, agent) ? undefined : permission;
  return { save: missing('pipeline.write'), activate: missing('pipeline.activate') };
}

export function useEditingValue({
  scope,
  document: { state, read, edit },
  problems,
  open,
  setOpen,
  account,
}: Pick<Editing, 'open' | 'problems' | 'scope' | 'setOpen'> & {
  readonly document: EditedDocument;
  readonly account: Account;
}): Editing {
  const mayReadPaths = hasPermissionFor(account, 'escalation_path.read', undefined);
  const mayReadEndpoints = hasPermissionFor(account, 'webhook.read', undefined);
  const { data: paths = NOTHING } = useQuery({ ...pathsQuery, enabled: mayReadPaths });
  const value = read.value ?? null;
  // Without a secrets key the service has no endpoints, and refuses to list them.
  const asked = useQuery({
    ...endpointsQuery,
    enabled: mayReadEndpoints && hasBlockOf(value, 'webhook'),
  });
  const { data: endpoints = NOTHING } = asked;
  const endpointsMissing =
    asked.error instanceof ApiError && asked.error.code === 'secrets_key_missing';
  const isReadOnly = !hasPermissionFor(account, 'pipeline.write', scope.agent);
  const latest = useRef(state.text);
  useEffect(() => {
    latest.current = state.text;
  }, [state.text]);
  return useMemo(
    () => ({
      ...{ scope, document: value, edit, isReadOnly, problems, paths, endpoints, endpointsMissing },
      ...{ open, setOpen, textNow: () => latest.current },
    }),
    [scope, value, edit, isReadOnly, problems, paths, endpoints, endpointsMissing, open, setOpen],
  );
}

const NOTHING: Editing['paths'] = [];
