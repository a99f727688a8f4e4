/** The keys of the app in a dialog. Loaded when someone asks for them. */
import { Button } from '../../../shared/design/button.tsx';
import { areSingleKeysOn } from '../../../shared/browser/single-keys.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { KeyTables } from '../../../shared/page/key-tables.tsx';
import { account as text } from '../../../shared/text/account.ts';
import { queue as queueText } from '../../../shared/text/queue.ts';

export function KeyList({ close }: { readonly close: () => void }) {
  return (
    <Modal labelledBy="keys" onClose={close}>
      <h2 id="keys">{text.shortcuts}</h2>
      <KeyTables isOn={areSingleKeysOn()} />
      <Button isSecondary onClick={close}>
        {queueText.close}
      </Button>
    </Modal>
  );
}
