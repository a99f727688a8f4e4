/** The editor of one escalation path. */
import { stringifyExact } from '../../../../src/platform/json/exact-json.ts';
import { printedJson } from '../../shared/editor/printed-json.ts';
import { useDocument } from '../../shared/editor/use-document.ts';
import { hasPermission, type Account } from '../../shared/session/session.ts';
import { EscalationEditor } from './escalation-editor.tsx';
import { Head } from './path-head.tsx';
import type { Missing } from '../../shared/editor/use-revisions.ts';
import { baseOf, pathRevisions, type ReadRevision } from './paths-data.ts';

interface PathEditorProps {
  readonly pathKey: string;
  readonly active: ReadRevision | undefined;
  readonly newest: ReadRevision;
  readonly account: Account;
}

export function PathEditor({ pathKey, active, newest, account }: PathEditorProps) {
  const missing = missingOf(account, newest);
  const isNew = !active && missing.save === undefined;
  const never = { revision: 0, text: isNew ? emptyPath(newest.revision.name) : newest.text };
  const base = active ? baseOf(active) : never;
  const name = { owner: account.principal.actor_id, name: `path:${pathKey}` };
  // A path that was never active begins as it was saved.
  const document = useDocument(name, base, isNew ? baseOf(newest) : undefined);
  return (
    <EscalationEditor
      {...{ document, base, missing, pathKey }}
      by={active?.revision.activated_by?.display_name}
      revisions={pathRevisions(pathKey)}
      title={(path) => path.name}
      head={
        <Head
          shown={active ?? newest}
          newest={newest}
          mayArchive={missing.activate === undefined}
        />
      }
    />
  );
}

/** What a path that was never active is compared with. */
const emptyPath = (name: string): string => printedJson(stringifyExact({ name, nodes: [] }));

function missingOf(account: Account, { revision }: ReadRevision): Missing {
  const missing = (permission: string) =>
    hasPermission(account, permission) && revision.archived_at === undefined
      ? undefined
      : permission;
  return {
    save: missing('escalation_path.write'),
    activate: missing('escalation_path.activate'),
    isArchived: revision.archived_at !== undefined,
  };
}
