/** What one channel is changed by. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../../shared/design/messages/toasts.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { changeChannel, deleteChannel, readChannelsAgain, testChannel } from '../channels-data.ts';
import { channels as text } from '../text.ts';

export function useChannel(id: string) {
  const queries = useQueryClient();
  const onSuccess = async () => {
    await readChannelsAgain(queries);
  };
  const change = useSensitiveMutation({ mutationFn: changeChannel, onSuccess });
  const remove = useSensitiveMutation({ mutationFn: deleteChannel, onSuccess });
  const test = useMutation({ mutationFn: testChannel, onSettled: onSuccess });
  /** With a way back: a channel that is off keeps everything but its waiting messages. */
  const turn = (enabled: boolean) => {
    if (change.isPending) return;
    change.mutate(
      { id, enabled },
      {
        onSuccess: () => {
          showToast(enabled ? text.turnedOn : text.turnedOff, {
            undo: () => {
              change.mutate({ id, enabled: !enabled });
            },
          });
        },
      },
    );
  };
  return { change, remove, test, turn };
}
