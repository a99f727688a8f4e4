/** The age of an endpoint's signing secret, and replacing it. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Instant } from '../../../shared/design/instant.tsx';
import note from '../../../shared/design/note.module.css';
import { Panel } from '../../../shared/design/panel.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ReplaceSecret } from '../../../shared/secrets/replace-secret.tsx';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { readEndpointsAgain, replaceSecret, type Summary } from '../endpoints-data.ts';
import { secret as text } from '../text.ts';
import { secretFile } from './secret-file.ts';

interface SecretPanelProps {
  readonly summary: Summary;
  readonly mayWrite: boolean;
}

export function SecretPanel({ summary, mayWrite }: SecretPanelProps) {
  const { secret_rotated_at: made, previous_secret_expires_at: stops } = summary;
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { issuing, secret, forget } = useIssuedSecret(async (overlap: string | undefined) => {
    return await replaceSecret(summary.endpoint_key, overlap);
  });
  return (
    <Panel title={text.title} hint={text.hint}>
      <p>
        {text.made} <Instant at={made} as="ago" />.
      </p>
      {stops !== undefined && (
        <p className={note['warning']}>
          {text.before} <Instant at={stops} as="in" />.
        </p>
      )}
      {secret !== undefined && (
        <ShownOnce
          title={text.fresh}
          secret={secret}
          file={secretFile(secret)}
          ifLost={text.ifLost}
          onStored={forget}
        />
      )}
      {mayWrite && secret === undefined && (
        <div>
          <Button
            isSecondary
            onClick={() => {
              setAsking(true);
            }}
          >
            {text.replace}
          </Button>
        </div>
      )}
      {isAsking && (
        <ReplaceSecret
          doing={issuing}
          atOnce={text.atOnce}
          previousUntil={stops}
          onReplace={(overlap) => {
            issuing.mutate(overlap, {
              onSuccess: () => {
                setAsking(false);
                void readEndpointsAgain(queries);
              },
            });
          }}
          onClose={() => {
            issuing.reset();
            setAsking(false);
          }}
        />
      )}
    </Panel>
  );
}
