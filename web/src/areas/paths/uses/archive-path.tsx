/** Archives a path for good, unless rules use it: then it shows them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '../../../shared/api/api.ts';
import { ConfirmByName } from '../../../shared/design/dialogs/confirm-by-name.tsx';
import { StillInUse } from '../../../shared/design/dialogs/still-in-use.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { uses as text } from './text.ts';
import { UseLink, keyOfUse } from './use-link.tsx';
import { archivePath, usesQuery, type PathUse } from './uses-data.ts';

interface ArchivePathProps {
  readonly pathKey: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function ArchivePath({ pathKey, name, onClose }: ArchivePathProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const known = useQuery(usesQuery(pathKey)).data?.uses ?? [];
  const archiving = useSensitiveMutation({
    mutationFn: async () => {
      await archivePath(pathKey);
    },
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['escalation-paths'] });
      await navigate({ to: '/paths' });
    },
  });
  const uses = refusedFor(archiving.error) ?? known;
  const title = text.archiveTitle(name);
  if (uses.length > 0)
    return (
      <StillInUse title={title} told={text.inUse(uses.length)} onClose={onClose}>
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
    <ConfirmByName
      title={title}
      name={pathKey}
      doing={archiving}
      label={text.confirm}
      busy={text.archiving}
      onConfirm={() => {
        archiving.mutate();
      }}
      onClose={onClose}
    >
      <p>{text.isFinal}</p>
    </ConfirmByName>
  );
}

/** The service knows also those that the person may not read. */
function refusedFor(error: Error | null): readonly PathUse[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'escalation_path_in_use') return undefined;
  return error.details['uses'] as readonly PathUse[];
}
