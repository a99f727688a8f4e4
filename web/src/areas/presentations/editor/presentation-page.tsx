/** The editor of a presentation: what it says on one side, and on the other how a call would look. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import note from '../../../shared/design/note.module.css';
import type { Base } from '../../../shared/editor/document-state.ts';
import { LeaveDialog } from '../../../shared/editor/leave-dialog.tsx';
import { mergeDocuments } from '../../../shared/editor/merge.ts';
import { problemAt, refusedPlaces } from '../../../shared/editor/problems.ts';
import { useDocument } from '../../../shared/editor/use-document.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PageTitle } from '../../../shared/guide/page-title.tsx';
import { useTitle } from '../../../shared/page/title.ts';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import { editor as editorText } from '../../../shared/text/editor.ts';
import { permissionText } from '../../../shared/text/permissions.ts';
import {
  createPresentation,
  presentationQuery,
  presentationsQuery,
  replacePresentation,
  type Saved,
} from '../presentations-data.ts';
import { editor as text } from '../text.ts';
import { DeleteButton } from './delete-button.tsx';
import { readEntry, type EntryView } from './entry.ts';
import { EntryFields } from './entry-fields.tsx';
import { Preview } from './preview.tsx';
import { SaveBar } from './save-bar.tsx';
import { useSample } from './use-sample.ts';
import classes from './editor.module.css';

const WRITE = 'organization.settings.write';

interface PageProps {
  /** Undefined for a new one, and for a built-in one. */
  readonly id?: string;
  readonly isBuiltIn?: boolean;
  /** Under which name this browser keeps what is not saved. */
  readonly draft: string;
  /** What is stored now, or what a new one begins with. */
  readonly current: Base;
  readonly account: Account;
}

export function PresentationPage(props: PageProps) {
  const { id, isBuiltIn = false, draft, current, account } = props;
  const name = `presentation:${draft}`;
  const document = useDocument({ owner: account.principal.actor_id, name }, current);
  const { state, read, edit } = document;
  const entry = useMemo(() => readEntry(read.value), [read.value]);
  const sample = useSample(entry.tool, entry.server);
  const { saving, problems } = useSaving(id, document);
  const mayWrite = hasPermission(account, WRITE);
  const isReadOnly = isBuiltIn || !mayWrite;
  const isBehind = useIsBehind(document, id === undefined ? undefined : current);
  const isNew = id === undefined && !isBuiltIn;
  useTitle(isNew ? text.newTitle : `${text.titleOf} ${entry.tool}`);
  return (
    <div className={classes['page']}>
      <Head {...{ isNew, entry }}>
        {isBuiltIn && mayWrite && <MakeOwn entry={entry} />}
        {id !== undefined && mayWrite && (
          <DeleteButton id={id} tool={entry.tool} saved={current.text} />
        )}
      </Head>
      {isBuiltIn && <p className={note['note']}>{text.builtIn}</p>}
      {!mayWrite && <p className={note['note']}>{editorText.missing(permissionText(WRITE))}</p>}
      <div className={classes['sides']}>
        <EntryFields
          {...{ entry, isReadOnly }}
          proposals={sample.proposals}
          edit={edit}
          problemAt={(pointer) => problemAt(problems, pointer)}
        />
        <Preview entry={entry} sample={sample} />
      </div>
      {!isReadOnly && (
        <SaveBar
          document={document}
          isNew={isNew}
          isBusy={saving.isPending}
          isHeld={isBehind}
          onSave={() => {
            if (!saving.isPending) saving.mutate({ text: state.text, over: state.base.revision });
          }}
        >
          {isBehind && <Conflict document={document} current={current} />}
          <Refusal error={saving.error} entry={entry} hasProblems={problems.length > 0} />
        </SaveBar>
      )}
      <LeaveDialog leaving={document.leaving} />
    </div>
  );
}

type Document = ReturnType<typeof useDocument>;

interface HeadProps {
  readonly isNew: boolean;
  readonly entry: EntryView;
  /** What can be done with it. */
  readonly children: ReactNode;
}

function Head({ isNew, entry, children }: HeadProps) {
  return (
    <div className={classes['head']}>
      <div>
        <Link to="/presentations" activeOptions={{ exact: true }} className={classes['back']}>
          {text.back}
        </Link>
        <PageTitle>
          {isNew ? (
            text.newTitle
          ) : (
            <>
              {text.titleOf} <ForeignText text={entry.tool} isName />
            </>
          )}
        </PageTitle>
      </div>
      {children}
    </div>
  );
}

function MakeOwn({ entry: { tool, server } }: { readonly entry: EntryView }) {
  const navigate = useNavigate();
  const search = { tool, ...(server !== '' && { server }) };
  return (
    <Button
      onClick={() => void navigate({ to: '/presentations/$id', params: { id: 'new' }, search })}
    >
      {text.makeOwn}
    </Button>
  );
}

/** Saves, and takes a new one to its own page. */
function useSaving(id: string | undefined, { state, act, isChanged }: Document) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [created, setCreated] = useState<string>();
  const [refusedText, setRefusedText] = useState('');
  const saving = useSensitiveMutation({
    mutationFn: async (given: { readonly text: string; readonly over: number }): Promise<Saved> =>
      id === undefined
        ? await createPresentation(given.text)
        : await replacePresentation({ id, ...given }),
    onSuccess: (saved) => {
      act({ type: 'rebased', base: saved, text: saved.text });
      queries.setQueryData(presentationQuery(saved.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: presentationsQuery.queryKey });
      void queries.invalidateQueries({ queryKey: ['requests'] });
      showToast(text.saved);
      if (id === undefined) setCreated(saved.id);
    },
    onError: (error, given) => {
      setRefusedText(given.text);
      if (id !== undefined && error instanceof ApiError && error.status === 412)
        void queries.invalidateQueries({ queryKey: presentationQuery(id).queryKey });
    },
  });
  useEffect(() => {
    // Once nothing is left to save, so that leaving is not asked about.
    if (created !== undefined && !isChanged)
      void navigate({ to: '/presentations/$id', params: { id: created }, replace: true });
  }, [created, isChanged, navigate]);
  // What was refused of another text may be mended already.
  const problems = refusedText === state.text ? refusedPlaces(saving.error) : [];
  return { saving, problems };
}

/** Whether someone saved another revision. Where nothing of one's own is in the way, it is taken. */
function useIsBehind({ state, isChanged, act }: Document, current: Base | undefined): boolean {
  const isBehind = current !== undefined && current.revision > state.base.revision;
  useEffect(() => {
    if (isBehind && !isChanged) act({ type: 'rebased', base: current, text: current.text });
  }, [isBehind, isChanged, act, current]);
  return isBehind && isChanged;
}

function Conflict({
  document: { state, read, act },
  current,
}: {
  readonly document: Document;
  readonly current: Base;
}) {
  return (
    <div role="alert" className={note['warning']}>
      <p>{text.conflict}</p>
      <div className={classes['acts']}>
        {!read.problem && (
          <Button
            isSecondary
            onClick={() => {
              const versions = { base: state.base.text, mine: state.text, theirs: current.text };
              act({ type: 'rebased', base: current, text: mergeDocuments(versions).text });
              showToast(text.onTopTold);
            }}
          >
            {text.onTop}
          </Button>
        )}
        <Button
          isSecondary
          onClick={() => {
            act({ type: 'rebased', base: current, text: current.text });
          }}
        >
          {text.takeTheirs}
        </Button>
      </div>
    </div>
  );
}

const OWN_WORDS = ['presentation_exists', 'not_found', 'quota_exceeded'];

interface RefusalProps {
  readonly error: Error | null;
  readonly entry: EntryView;
  /** They stand at their fields. */
  readonly hasProblems: boolean;
}

function Refusal({ error, entry, hasProblems }: RefusalProps) {
  if (error === null || hasProblems) return null;
  const code = error instanceof ApiError ? error.code : '';
  // It has a separate note.
  if (code === 'revision_conflict') return null;
  return (
    <div role="alert" className={note['problem']}>
      {code === 'presentation_exists' && <Exists entry={entry} />}
      {code === 'not_found' && <p>{text.gone}</p>}
      {code === 'quota_exceeded' && <p>{text.tooMany}</p>}
      {!OWN_WORDS.includes(code) && <p>{error.message}</p>}
    </div>
  );
}

function Exists({ entry: { tool, server } }: Pick<RefusalProps, 'entry'>) {
  const { data: known } = useQuery({ ...presentationsQuery, staleTime: 0 });
  const other = known?.find((each) => each.tool === tool && (each.server ?? '') === server);
  return (
    <p>
      {text.exists}{' '}
      {other?.id !== undefined && (
        <Link to="/presentations/$id" params={{ id: other.id }}>
          {text.openIt}
        </Link>
      )}
    </p>
  );
}
