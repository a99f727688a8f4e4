/** Archives an endpoint, with a way to take that back, unless active rules ask it: then it shows them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../shared/api/api.ts';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { StillInUse } from '../../../shared/design/dialogs/still-in-use.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import {
  activateEndpoint,
  archiveEndpoint,
  readEndpointsAgain,
  type Summary,
  type Use,
} from '../endpoints-data.ts';
import { archive as text } from '../text.ts';
import { keyOfUse, UseLink } from './uses.tsx';

interface ArchiveEndpointProps {
  readonly summary: Summary;
  readonly name: string;
  readonly onClose: () => void;
}

export function ArchiveEndpoint({ summary, name, onClose }: ArchiveEndpointProps) {
  const { endpoint_key: key, active_revision: active } = summary;
  const archiving = useArchiving(key, active, onClose);
  const uses = refusedFor(archiving.error) ?? summary.uses;
  if (uses.length > 0)
    return (
      <StillInUse title={text.title(name)} told={text.inUse(uses.length)} onClose={onClose}>
        <ul>
          {uses.map((use) => (
            <li key={keyOfUse(use)}>
              <UseLink use={use} />
            </li>
          ))}
        </ul>
      </StillInUse>
    );
  return (
    <Consequence
      title={text.title(name)}
      label={text.confirm}
      busy={text.busy}
      doing={archiving}
      isHarmless
      onConfirm={() => {
        archiving.mutate();
      }}
      onClose={onClose}
    >
      <p>{text.told}</p>
    </Consequence>
  );
}

function useArchiving(key: string, active: number | undefined, onClose: () => void) {
  const queries = useQueryClient();
  const undoing = useSensitiveMutation({
    mutationFn: async (revision: number) => await activateEndpoint(key, { revision, over: 0 }),
    onSuccess: ({ revision }) => {
      showToast(text.undone(revision));
    },
    onError: (error) => {
      showToast(error.message);
    },
    onSettled: () => void readEndpointsAgain(queries),
  });
  return useMutation({
    mutationFn: async () => {
      await archiveEndpoint(key, active ?? 0);
    },
    onSuccess: () => {
      onClose();
      const undo = active === undefined ? undefined : () => undoing.mutate(active);
      showToast(text.done, undo && { undo });
    },
    // Also after a refusal: someone else may have changed it.
    onSettled: () => void readEndpointsAgain(queries),
  });
}

function refusedFor(error: Error | null): readonly Use[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'webhook_endpoint_in_use') return undefined;
  return error.details['uses'] as readonly Use[];
}
