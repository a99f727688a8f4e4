/** Deletes a presentation, once someone has read what applies then. It can be taken back for a while. */
import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import {
  createPresentation,
  presentationsQuery,
  removePresentation,
} from '../presentations-data.ts';
import { editor } from '../text.ts';

const text = editor.deletion;

interface DeleteButtonProps {
  readonly id: string;
  readonly tool: string;
  /** What is stored of it, as JSON. */
  readonly saved: string;
}

export function DeleteButton({ id, tool, saved }: DeleteButtonProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { data: known = [] } = useQuery({ ...presentationsQuery, enabled: isOpen });
  const hasBuiltIn = known.some((each) => each.source === 'built_in' && each.tool === tool);
  const removing = useMutation({
    mutationFn: removePresentation,
    onSuccess: async () => {
      setOpen(false);
      showToast(text.done, { undo: () => void restore(queries, saved) });
      readAgain(queries);
      await navigate({ to: '/presentations' });
    },
  });
  const close = () => {
    removing.reset();
    setOpen(false);
  };
  return (
    <>
      <Button
        isSecondary
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.open}
      </Button>
      {isOpen && (
        <Consequence
          title={text.title}
          label={text.confirm}
          busy={text.busy}
          keep={text.keep}
          doing={removing}
          isHarmless
          onConfirm={() => {
            removing.mutate(id);
          }}
          onClose={close}
        >
          <p>{hasBuiltIn ? text.builtIn : text.none}</p>
        </Consequence>
      )}
    </>
  );
}

function readAgain(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: presentationsQuery.queryKey });
  void queries.invalidateQueries({ queryKey: ['requests'] });
}

/** The same presentation, under another id. */
async function restore(queries: QueryClient, saved: string): Promise<void> {
  try {
    await createPresentation(saved);
    showToast(text.restored);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showToast(error.message);
  }
  readAgain(queries);
}
