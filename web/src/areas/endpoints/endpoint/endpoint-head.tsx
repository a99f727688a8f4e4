/** The head of an endpoint: its key, its state, who asks it, and archiving it. */
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import type { Summary } from '../endpoints-data.ts';
import { StateBadge } from '../state-badge.tsx';
import { archive as archiveText, endpoint as text } from '../text.ts';
import { ArchiveEndpoint } from './archive-endpoint.tsx';
import { keyOfUse, UseLink } from './uses.tsx';

interface EndpointHeadProps {
  readonly summary: Summary;
  readonly name: string;
  readonly mayWrite: boolean;
}

export function EndpointHead({ summary, name, mayWrite }: EndpointHeadProps) {
  const [isArchiving, setArchiving] = useState(false);
  const { endpoint_key: key, archived_at: archived, uses } = summary;
  const { active_revision: active, latest_revision: latest } = summary;
  return (
    <>
      <Link to="/endpoints" activeOptions={{ exact: true }}>
        {text.back}
      </Link>{' '}
      · <code>{key}</code> · <StateBadge {...summary} />
      {latest !== active && ` · ${text.unsaved(latest)}`}
      {mayWrite && archived === undefined && (
        <>
          {' · '}
          <LinkButton
            onClick={() => {
              setArchiving(true);
            }}
          >
            {archiveText.open}
          </LinkButton>
        </>
      )}
      <br />
      {uses.length === 0 ? (
        <>
          {text.notUsed} {active !== undefined && <Link to="/rules">{text.addRule}</Link>}
        </>
      ) : (
        <>
          {text.usedBy}{' '}
          {uses.map((use, index) => (
            <Fragment key={keyOfUse(use)}>
              {index > 0 && ', '}
              <UseLink use={use} />
            </Fragment>
          ))}
        </>
      )}
      {isArchiving && (
        <ArchiveEndpoint
          {...{ summary, name }}
          onClose={() => {
            setArchiving(false);
          }}
        />
      )}
    </>
  );
}
