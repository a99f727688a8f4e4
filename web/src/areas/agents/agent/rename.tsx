/** Asks for another name. */
import { useId, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import type { ApiError } from '../../../shared/api/api.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { nextName } from '../states.ts';
import { agent as text, taken } from '../text.ts';
import classes from '../list/agents.module.css';

interface RenameProps {
  readonly title: string;
  readonly name: string;
  /** The mutation that does it. */
  readonly doing: { readonly isPending: boolean; readonly error: Error | null };
  readonly onRename: (name: string) => void;
  readonly onClose: () => void;
}

export function Rename({ title, name, doing, onRename, onClose }: RenameProps) {
  const id = useId();
  const [typed, setTyped] = useState(name);
  const takenField = ({ code, message }: ApiError) => {
    if (code === 'instance_name_taken') return { name: taken(nextName(typed.trim())) };
    return code === 'agent_name_taken' ? { name: message } : undefined;
  };
  return (
    <Modal labelledBy={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <Form
        isBusy={doing.isPending}
        error={doing.error}
        fieldOf={takenField}
        onSubmit={() => {
          onRename(typed.trim());
        }}
      >
        <TextField
          label={text.newName}
          name="name"
          autoComplete="off"
          value={typed}
          onChange={setTyped}
          autoFocus
        />
        <div className={classes['buttons']}>
          <Submit label={text.rename} busy={text.renaming} />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
