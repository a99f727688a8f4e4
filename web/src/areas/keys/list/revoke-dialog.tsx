/** Asks before a key is revoked, and says what ends. */
import type { ReactNode } from 'react';
import { LastUse } from '../../../shared/access/keys/key-facts.tsx';
import type { Doing } from '../../../shared/design/dialogs/confirm-buttons.tsx';
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Key } from '../keys-data.ts';
import { keys as text } from '../text.ts';

interface RevokeDialogProps {
  readonly apiKey: Key;
  /** What it may do. */
  readonly can: ReactNode;
  /** The mutation that does it. */
  readonly doing: Doing;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function RevokeDialog({ apiKey, can, doing, onConfirm, onClose }: RevokeDialogProps) {
  const isProgram = apiKey.oauth_client !== undefined;
  return (
    <Consequence
      title={isProgram ? text.removeTitle : text.revokeTitle}
      label={isProgram ? text.confirmRemove : text.confirmRevoke}
      busy={text.revoking}
      keep={text.keep}
      doing={doing}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        <strong>
          <ForeignText text={apiKey.name} isName />
        </strong>
        , <LastUse apiKey={apiKey} />.
      </p>
      {can}
      <p>{isProgram ? text.removeWhy : text.revokeWhy}</p>
    </Consequence>
  );
}
