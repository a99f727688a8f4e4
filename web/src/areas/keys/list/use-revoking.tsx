/** Revoking one of the keys of a page: asks first, and says afterwards what happened. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { Result } from '../../../shared/design/result.tsx';
import { readKeysAgain, type Key } from '../keys-data.ts';
import { keys as text } from '../text.ts';
import { RevokeDialog } from './revoke-dialog.tsx';

/** `can`: what the key may do, as the dialog says it. */
export function useRevoking(
  revoke: (apiKey: Key) => Promise<void>,
  can: (apiKey: Key) => ReactNode,
) {
  const queries = useQueryClient();
  const said = useRef<HTMLParagraphElement>(null);
  const [asked, setAsked] = useState<Key>();
  const [result, setResult] = useState('');
  const revoking = useMutation({
    mutationFn: revoke,
    onSuccess: async (_, { name }) => {
      setAsked(undefined);
      setResult(text.revoked(name));
      await readKeysAgain(queries);
      // The button is gone: the focus goes to what says so.
      said.current?.focus();
    },
  });
  return {
    ask: (apiKey: Key) => {
      revoking.reset();
      setAsked(apiKey);
    },
    result: <Result ref={said} text={result} />,
    dialog: asked && (
      <RevokeDialog
        apiKey={asked}
        can={can(asked)}
        doing={revoking}
        onConfirm={() => {
          revoking.mutate(asked);
        }}
        onClose={() => {
          setAsked(undefined);
        }}
      />
    ),
  };
}
