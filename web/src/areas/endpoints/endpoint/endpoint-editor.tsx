/** The page of an endpoint, with what is changed and not saved. */
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { ConflictNote } from '../../../shared/editor/conflict-note.tsx';
import { focusPointer } from '../../../shared/editor/focus-pointer.ts';
import { LeaveDialog } from '../../../shared/editor/leave-dialog.tsx';
import { problemAt, type Problem } from '../../../shared/editor/problems.ts';
import { RevisionBar } from '../../../shared/editor/revision-bar.tsx';
import { useDocument, type EditedDocument } from '../../../shared/editor/use-document.ts';
import { useProblems, useRevisions, type Missing } from '../../../shared/editor/use-revisions.ts';
import { Page } from '../../../shared/page/page.tsx';
import { hasPermission, type Account } from '../../../shared/session/session.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { TestPanel } from '../deliveries/test-panel.tsx';
import { isEgressRefusal } from '../egress.ts';
import { baseOf, endpointRevisions, type Revision, type Summary } from '../endpoints-data.ts';
import { SecretPanel } from '../secret/secret-panel.tsx';
import { VerifyPanel } from '../secret/verify-panel.tsx';
import { create, endpoint as text } from '../text.ts';
import { Changes } from './changes.tsx';
import { changedMembers, documentOf, NOTHING, setMember, type Member } from './document.ts';
import { EndpointHead } from './endpoint-head.tsx';
import classes from './endpoint.module.css';

const EndpointDialogs = lazy(async () => {
  const { EndpointDialogs: component } = await loadPart(() => import('./endpoint-dialogs.tsx'));
  return { default: component };
});

interface EndpointEditorProps {
  readonly endpoint: {
    readonly summary: Summary;
    readonly active: Revision | undefined;
    readonly newest: Revision;
  };
  readonly account: Account;
}

const WRITE = 'webhook.write';

export function EndpointEditor({ endpoint, account }: EndpointEditorProps) {
  const { summary, active, newest } = endpoint;
  const { endpoint_key: key } = summary;
  const mayWrite = hasPermission(account, WRITE);
  const missing: Missing = mayWrite ? {} : { save: WRITE, activate: WRITE };
  const { document, base } = useEndpointDocument(endpoint, account);
  const { isBehind, told, onTold, onOpen, refusal, dialogs } = useRevisions(
    document,
    endpointRevisions(key),
    base,
  );
  const problems = useProblems(document, refusal);
  const { deliveries } = useSearch({ from: '/signed-in/rules/endpoints/$endpointKey' });
  const { state } = document;
  return (
    <Page
      title={(active ?? newest).name}
      hint={<EndpointHead {...{ summary, mayWrite }} name={newest.name} />}
    >
      {isBehind && document.isChanged && (
        <ConflictNote
          {...{ document, onTold }}
          active={base}
          by={active?.activated_by?.display_name}
          compare={(before, after) => <Changes {...{ before, after }} />}
        />
      )}
      <div className={classes['columns']}>
        <div className={classes['column']}>
          <Where {...{ document, problems, mayWrite }} isEgress={isEgressRefusal(refusal)} />
          <SecretPanel {...{ summary, mayWrite }} />
        </div>
        {mayWrite && (
          <TestPanel
            endpointKey={key}
            newest={state.saved?.revision ?? active?.revision ?? newest.revision}
            isUnsaved={document.isChanged && state.saved?.text !== state.text}
          />
        )}
      </div>
      <Deliveries endpointKey={key} result={deliveries ?? 'all'} />
      <VerifyPanel />
      <RevisionBar
        {...{ document, problems, missing, isBehind, told, onOpen }}
        changes={changedMembers(state.base.text, state.text).length}
        onGo={({ pointer }) => {
          focusPointer(pointer);
        }}
      />
      {dialogs && (
        <Suspense>
          <EndpointDialogs {...dialogs} missing={missing} uses={summary.uses.length} />
        </Suspense>
      )}
      <LeaveDialog leaving={document.leaving} />
    </Page>
  );
}

function useEndpointDocument(
  { summary, active, newest }: EndpointEditorProps['endpoint'],
  account: Account,
) {
  const saved = baseOf(newest);
  const never = hasPermission(account, WRITE) ? NOTHING : saved.text;
  const base = active ? baseOf(active) : { revision: 0, text: never };
  const name = `endpoint:${summary.endpoint_key}`;
  // Without an active revision, the page begins as it was saved.
  const begun = active ? undefined : saved;
  return {
    document: useDocument({ owner: account.principal.actor_id, name }, base, begun),
    base,
  };
}

interface WhereProps {
  readonly document: EditedDocument;
  readonly problems: readonly Problem[];
  readonly mayWrite: boolean;
  /** The service refused the URL because of where it leads. */
  readonly isEgress: boolean;
}

function Where({ document: { read, edit }, problems, mayWrite, isEgress }: WhereProps) {
  const { name, url } = documentOf(read.value);
  const wrong = problemAt(problems, '/url');
  const change = (member: Member) => (value: string) => {
    edit(setMember(member, value), member);
  };
  return (
    <Panel title={text.where}>
      <TextBox
        label={text.name}
        value={name}
        pointer="/name"
        problem={problemAt(problems, '/name')}
        isReadOnly={!mayWrite}
        onChange={change('name')}
      />
      <TextBox
        label={text.url}
        description={create.urlHint}
        isMono
        value={url}
        pointer="/url"
        problem={wrong !== undefined && isEgress ? `${wrong} ${create.egress}` : wrong}
        isReadOnly={!mayWrite}
        onChange={change('url')}
      />
    </Panel>
  );
}
