/** The head of a path: its key, its active revision, and what uses it. */
import { ArchivePath } from './uses/archive-path.tsx';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkButton } from '../../shared/design/buttons/link-button.tsx';
import type { ReadRevision } from './paths-data.ts';
import { paths as text } from './text.ts';
import { PathUses } from './uses/path-uses.tsx';
import { uses } from './uses/text.ts';

interface HeadProps {
  readonly shown: ReadRevision;
  readonly newest: ReadRevision;
  readonly mayArchive: boolean;
}

export function Head({ shown: { revision }, newest, mayArchive }: HeadProps) {
  const [isArchiving, setArchiving] = useState(false);
  const { revision: latest } = newest.revision;
  const { path_key: key, archived_at: archived } = revision;
  return (
    <>
      <Link to="/paths" activeOptions={{ exact: true }}>
        {text.back}
      </Link>{' '}
      · <code>{key}</code> · {revision.is_active ? text.active(revision.revision) : text.noneActive}
      {archived !== undefined && ` · ${text.archived}`}
      {latest !== revision.revision && ` · ${text.unsaved(latest)}`}
      {mayArchive && (
        <>
          {' · '}
          <LinkButton
            onClick={() => {
              setArchiving(true);
            }}
          >
            {uses.archive}
          </LinkButton>
        </>
      )}
      <PathUses pathKey={key} />
      {isArchiving && (
        <ArchivePath
          pathKey={key}
          name={revision.name}
          onClose={() => {
            setArchiving(false);
          }}
        />
      )}
    </>
  );
}
