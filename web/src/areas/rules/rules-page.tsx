/** The editor of one pipeline: cards in reading order, what they would do, and the bar that saves. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { loadPart } from '../../shared/browser/new-build.ts';
import { JsonField } from '../../shared/editor/json-field.tsx';
import type { Problem } from '../../shared/editor/problems.ts';
import { RevisionBar } from '../../shared/editor/revision-bar.tsx';
import { useDocument, type EditedDocument } from '../../shared/editor/use-document.ts';
import { useProblems, useRevisions } from '../../shared/editor/use-revisions.ts';
import { useTitle } from '../../shared/page/title.ts';
import type { Account } from '../../shared/session/session.ts';
import { editor as editorText } from '../../shared/text/editor.ts';
import { RuleList } from './cards/rule-list.tsx';
import { trialMarks } from './outcomes/trial-marks.ts';
import type { Trial } from './outcomes/trial.ts';
import { changesBetween, countOf } from './document/pipeline-changes.ts';
import { EditingContext, useEditing, type TestsState } from './editing.ts';
import type { Panel } from './outcomes/what-if.tsx';
import { ReadingOrder } from './reading-order.tsx';
import { Head } from './rules-head.tsx';
import {
  baseOf,
  pipelineRevisions,
  scopeName,
  type Revision,
  type RulesSearch,
  type Scope,
} from './rules-data.ts';
import { rules as text } from './text.ts';
import { useEditingValue, useGo, usePermissions, type View } from './use-rules.ts';
import classes from './rules.module.css';

const WhatIf = lazy(async () => {
  const panel = await loadPart(() => import('./outcomes/what-if.tsx'));
  return { default: panel.WhatIf };
});

const ChangeList = lazy(async () => {
  const list = await loadPart(() => import('./outcomes/change-list.tsx'));
  return { default: list.ChangeList };
});

const ConflictNote = lazy(async () => {
  const conflict = await loadPart(() => import('../../shared/editor/conflict-note.tsx'));
  return { default: conflict.ConflictNote };
});

const LeaveDialog = lazy(async () => {
  const leave = await loadPart(() => import('../../shared/editor/leave-dialog.tsx'));
  return { default: leave.LeaveDialog };
});

const RulesDialogs = lazy(async () => {
  const dialogs = await loadPart(() => import('./rules-dialogs.tsx'));
  return { default: dialogs.RulesDialogs };
});

const FromRequest = lazy(async () => {
  const from = await loadPart(() => import('./from-request.tsx'));
  return { default: from.FromRequest };
});

const StarterRules = lazy(async () => {
  const starter = await loadPart(() => import('./starter-rules.tsx'));
  return { default: starter.StarterRules };
});

const NO_TESTS: TestsState = { failing: [], isUntold: false };

const problemOfTest = (name: string): Problem => ({
  ...{ pointer: '', isAllowed: true },
  message: text.testFails(name),
});

interface RulesPageProps {
  readonly scope: Scope;
  readonly search: RulesSearch;
  readonly active: Revision;
  readonly account: Account;
}

export function RulesPage({ scope, search, active, account }: RulesPageProps) {
  useTitle(scope.agent === undefined ? text.title : `${text.title} · ${scope.agent}`);
  const name = `pipeline:${scopeName(scope)}`;
  const document = useDocument({ owner: account.principal.actor_id, name }, baseOf(active));
  const { state, read } = document;
  const editor = useRevisions(document, pipelineRevisions(scope), active);
  const { isBehind, told, onTold, onOpen, dialogs } = editor;
  const [view, setView] = useState<View>('builder');
  const [open, setOpen] = useState<string>();
  const [trial, setTrial] = useState<Trial>();
  const [panel, setPanel] = useState<Panel>(search.from === undefined ? 'try' : 'past');
  const [tests, setTests] = useState(NO_TESTS);
  const problems = useProblems(document, editor.refusal);
  const diff = useMemo(
    () => changesBetween(state.base.text, state.text),
    [state.base.text, state.text],
  );
  const missing = usePermissions(account, scope);
  const editing = useEditingValue({ scope, document, problems, open, setOpen, account });
  const go = useGo({ setView, setOpen, setPanel });
  return (
    <div className={classes['page']}>
      <ReadingOrder scope={scope} blocks={blockCount(read.value)} />
      <Head scope={scope} active={active} view={view} setView={setView} />
      <Conflict {...{ document, active, isBehind }} onTold={onTold} />
      <div className={classes['columns']}>
        <EditingContext value={editing}>
          <Main {...{ document, view, problems, setView, trial }} />
        </EditingContext>
        <Suspense>
          <WhatIf
            {...{ scope, document, diff, open: panel }}
            onOpen={setPanel}
            owner={account.principal.actor_id}
            onTrial={setTrial}
            onTests={setTests}
          />
        </Suspense>
      </div>
      <RevisionBar
        {...{ document, missing, isBehind, told, onOpen }}
        changes={diff ? countOf(diff) : 1}
        problems={[...problems, ...tests.failing.map(problemOfTest)]}
        onGo={go}
      />
      {dialogs && (
        <Suspense>
          <RulesDialogs {...dialogs} {...{ scope, missing, tests }} />
        </Suspense>
      )}
      <Drafting {...{ search, scope, document, setOpen, onTold }} isReadOnly={editing.isReadOnly} />
      <Leaving leaving={document.leaving} />
    </div>
  );
}

interface DraftingProps {
  readonly search: RulesSearch;
  readonly scope: Scope;
  readonly document: EditedDocument;
  readonly isReadOnly: boolean;
  readonly setOpen: (pointer: string) => void;
  readonly onTold: (message: string) => void;
}

/** What the address asks for. */
function Drafting({ search: { from, start }, scope, document, ...more }: DraftingProps) {
  const { isReadOnly, setOpen, onTold } = more;
  return (
    <Suspense>
      {from !== undefined && <FromRequest id={from} {...{ scope, document, setOpen, onTold }} />}
      {start !== undefined && <StarterRules {...{ document, isReadOnly, onTold }} />}
    </Suspense>
  );
}

interface ConflictProps {
  readonly document: EditedDocument;
  readonly active: Revision;
  readonly isBehind: boolean;
  readonly onTold: (message: string) => void;
}

function Conflict({ document, active, isBehind, onTold }: ConflictProps) {
  if (!isBehind || !document.isChanged) return null;
  return (
    <Suspense>
      <ConflictNote
        {...{ document, onTold }}
        active={baseOf(active)}
        by={active.activated_by?.display_name}
        compare={(before, after) => <ChangeList diff={changesBetween(before, after)} />}
      />
    </Suspense>
  );
}

function Leaving({ leaving }: Pick<EditedDocument, 'leaving'>) {
  if (!leaving) return null;
  return (
    <Suspense>
      <LeaveDialog leaving={leaving} />
    </Suspense>
  );
}

interface MainProps {
  readonly document: EditedDocument;
  readonly view: View;
  readonly problems: readonly Problem[];
  readonly setView: (view: View) => void;
  readonly trial: Trial | undefined;
}

function Main({ document, view, problems, setView, trial }: MainProps) {
  const { isReadOnly } = useEditing();
  const marks = useMemo(() => trialMarks(trial), [trial]);
  if (view === 'builder')
    return (
      <RuleList
        document={document}
        trial={marks}
        onJson={() => {
          setView('json');
        }}
      />
    );
  return (
    <JsonField
      label={editorText.jsonLabel}
      text={document.state.text}
      problems={problems}
      isReadOnly={isReadOnly}
      onChange={(next) => {
        document.edit(() => next, 'json');
      }}
    />
  );
}

const blockCount = (document: unknown): number => {
  const blocks = (document as { readonly blocks?: unknown } | undefined)?.blocks;
  return Array.isArray(blocks) ? blocks.length : 0;
};
