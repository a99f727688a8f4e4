/** An escalation path or the policy of a team: cards that are changed, the schedule next to them, and the bar that saves. */
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { loadPart } from '../../shared/browser/new-build.ts';
import { SegmentedControl } from '../../shared/design/fields/segmented-control.tsx';
import { TextBox } from '../../shared/design/fields/text-box.tsx';
import { focusPointer } from '../../shared/editor/focus-pointer.ts';
import { Panel } from '../../shared/design/panel.tsx';
import { ConflictNote } from '../../shared/editor/conflict-note.tsx';
import { JsonField } from '../../shared/editor/json-field.tsx';
import { LeaveDialog } from '../../shared/editor/leave-dialog.tsx';
import type { Base } from '../../shared/editor/document-state.ts';
import { problemAt, type Problem } from '../../shared/editor/problems.ts';
import { RevisionBar } from '../../shared/editor/revision-bar.tsx';
import type { EditedRevisions } from '../../shared/editor/revisions.ts';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import { useProblems, useRevisions, type Missing } from '../../shared/editor/use-revisions.ts';
import { Page } from '../../shared/page/page.tsx';
import { editor as editorText } from '../../shared/text/editor.ts';
import { CardsContext, LookedContext } from './cards/cards-context.ts';
import { NodeList } from './cards/node-list.tsx';
import { setValue } from './document/path-edits.ts';
import type { PathView } from './document/read-path.ts';
import { waitText } from './document/wait-text.ts';
import { PathEditingContext, problemIn, type PathEditing } from './editing/path-editing.ts';
import { RepeatFields } from './editing/repeat-fields.tsx';
import { editing as editText } from './editing/text.ts';
import classes from './path-page.module.css';
import type { EscalationWarning, PreviewedCall } from './paths-data.ts';
import { useChecked, useLastPath } from './path-state.ts';
import { SchedulePanel } from './schedule/schedule-panel.tsx';
import { useNames } from './targets-data.ts';
import { paths as text } from './text.ts';

const PathDialogs = lazy(async () => {
  const { PathDialogs: component } = await loadPart(() => import('./path-dialogs.tsx'));
  return { default: component };
});
const ChangedLines = lazy(async () => {
  const { ChangedLines: component } = await loadPart(() => import('./changed-lines.tsx'));
  return { default: component };
});
const HoursPanel = lazy(async () => {
  const { HoursPanel: component } = await loadPart(() => import('./editing/hours-panel.tsx'));
  return { default: component };
});

interface EscalationEditorProps {
  readonly document: EditedDocument;
  /** What is active, and who activated it. */
  readonly base: Base;
  readonly by: string | undefined;
  readonly revisions: EditedRevisions;
  readonly missing: Missing;
  readonly title: (path: PathView) => string;
  readonly head: ReactNode;
  /** Of a path: its key. */
  readonly pathKey?: string;
  /** Of a policy: its team. */
  readonly teamId?: string;
}

export function EscalationEditor(props: EscalationEditorProps) {
  const { document, base, by, revisions, missing, title, head, pathKey, teamId } = props;
  const { isBehind, told, onTold, onOpen, refusal, dialogs } = useRevisions(
    document,
    revisions,
    base,
  );
  const [view, setView] = useState<'builder' | 'json'>('builder');
  const path = useLastPath(document);
  const isBegun = path.nodes.length > 0 || document.isChanged;
  const [call, setCall] = useState<PreviewedCall>();
  const check = useChecked(document.state.text, { teamId, isBegun, call });
  const problems = useProblems(document, refusal, check.problems);
  const isReadOnly = missing.save !== undefined;
  return (
    <Page title={title(path)} hint={head}>
      {isBehind && document.isChanged && (
        <ConflictNote
          document={document}
          active={base}
          by={by}
          onTold={onTold}
          compare={(before, after) => (
            <Suspense>
              <ChangedLines before={before} after={after} />
            </Suspense>
          )}
        />
      )}
      <Editing
        {...{ document, path, problems, isReadOnly, view, setView, teamId }}
        warnings={check.warnings}
      >
        {path.nodes.length > 0 && (
          <SchedulePanel {...{ path, pathKey, teamId, call, setCall }} text={check.text} />
        )}
      </Editing>
      <RevisionBar
        {...{ document, problems, missing, isBehind, told, onOpen }}
        changes={document.isChanged ? 1 : 0}
        onGo={({ pointer, at }) => {
          setView(at === undefined ? 'builder' : 'json');
          requestAnimationFrame(() => {
            focusPointer(pointer);
          });
        }}
      />
      {dialogs && (
        <Suspense>
          <PathDialogs {...dialogs} missing={missing} warnings={check.warnings} />
        </Suspense>
      )}
      <LeaveDialog leaving={document.leaving} />
    </Page>
  );
}

interface EditingProps {
  readonly document: EditedDocument;
  readonly path: PathView;
  readonly problems: readonly Problem[];
  readonly warnings: readonly EscalationWarning[];
  readonly isReadOnly: boolean;
  readonly view: 'builder' | 'json';
  readonly setView: (view: 'builder' | 'json') => void;
  readonly teamId: string | undefined;
  readonly children: ReactNode;
}

function Editing(props: EditingProps) {
  const { document, path, problems, warnings, isReadOnly, view, setView, children, teamId } = props;
  const { edit } = document;
  const [active, onActive] = useState<string>();
  const looked = useMemo(() => ({ active, onActive }), [active]);
  const names = useNames(path);
  const { hours } = path;
  const isPolicy = teamId !== undefined;
  const cards = useMemo(
    () => ({ names, hours, warnings, isPolicy }),
    [names, hours, warnings, isPolicy],
  );
  const editing = useMemo<PathEditing | undefined>(
    () => (isReadOnly ? undefined : { edit, problems, ...(teamId !== undefined && { teamId }) }),
    [edit, problems, isReadOnly, teamId],
  );
  return (
    <CardsContext value={cards}>
      <LookedContext value={looked}>
        <PathEditingContext value={editing}>
          <div className={classes['columns']}>
            <div className={classes['side']}>
              <SegmentedControl
                label={editorText.view}
                options={[
                  { value: 'builder', label: editorText.builder },
                  { value: 'json', label: editorText.json },
                ]}
                value={view}
                onChange={setView}
              />
              {view === 'json' ? (
                <JsonField
                  label={editorText.jsonLabel}
                  text={document.state.text}
                  problems={problems}
                  isReadOnly={isReadOnly}
                  onChange={(next) => {
                    edit(() => next, 'json');
                  }}
                />
              ) : (
                <Builder path={path} editing={editing} />
              )}
            </div>
            <div className={classes['beside']}>{children}</div>
          </div>
        </PathEditingContext>
      </LookedContext>
    </CardsContext>
  );
}

interface BuilderProps {
  readonly path: PathView;
  readonly editing: PathEditing | undefined;
}

function Builder({ path: { name, nodes, repeat }, editing }: BuilderProps) {
  return (
    <>
      <Panel title={text.walk} hint={text.walkHint}>
        {editing && editing.teamId === undefined && (
          <TextBox
            label={editText.name}
            value={name}
            pointer="/name"
            problem={problemIn(editing.problems, '/name')}
            onChange={(value) => {
              editing.edit(setValue('/name', value), 'name');
            }}
          />
        )}
        {nodes.length === 0 && <p>{text.noNodes}</p>}
        {editing && problemAt(editing.problems, '/nodes') !== undefined && (
          <p role="alert" data-pointer="/nodes" tabIndex={-1}>
            {problemAt(editing.problems, '/nodes')}
          </p>
        )}
        <NodeList nodes={nodes} list="/nodes" label={text.walk} />
        {editing ? (
          <RepeatFields repeat={repeat} />
        ) : (
          <p className={classes['foot']}>
            {repeat ? text.foot(repeat.times, waitText(repeat.after)) : text.footOnce}
          </p>
        )}
      </Panel>
      {editing && (
        <Suspense>
          <HoursPanel />
        </Suspense>
      )}
    </>
  );
}
