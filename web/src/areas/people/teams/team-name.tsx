/** Asks for the name of a team. */
import { useId } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import type { ApiError } from '../../../shared/api/api.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { teams as text } from './text.ts';
import classes from '../people.module.css';

interface TeamNameProps {
  readonly title: string;
  readonly label: string;
  readonly name?: string;
  readonly submit: string;
  readonly busy: string;
  readonly doing: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: (name: string) => void;
  readonly onClose: () => void;
}

const takenName = ({ code, message }: ApiError) =>
  code === 'team_name_taken' ? { name: message } : undefined;

export function TeamName(props: TeamNameProps) {
  const { title, label, name = '', submit, busy, doing, onSubmit, onClose } = props;
  const id = useId();
  return (
    <Modal labelledBy={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <Form
        isBusy={doing.isPending}
        error={doing.error}
        fieldOf={takenName}
        onSubmit={(fields) => {
          onSubmit((fields['name'] ?? '').trim());
        }}
      >
        <TextField label={label} name="name" autoComplete="off" defaultValue={name} autoFocus />
        <div className={classes['buttons']}>
          <Submit label={submit} busy={busy} />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
