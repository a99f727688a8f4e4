/** For what cannot be taken back: the person types the name of what will be gone. */
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { messages as text } from '../../text/design.ts';
import { useFirstProblem } from '../fields/first-problem.ts';
import { TextBox } from '../fields/text-box.tsx';
import { ConfirmButtons, type Doing } from './confirm-buttons.tsx';
import { Modal } from './modal.tsx';
import classes from './confirm-by-name.module.css';

interface NameFormProps {
  /** What has to be typed, such as a slug. */
  readonly name: string;
  /** The mutation that does it. */
  readonly doing: Doing;
  readonly label: string;
  readonly busy: string;
  readonly onConfirm: () => void;
  /** Absent where the form is a part of a dialog. */
  readonly onClose?: () => void;
}

interface ConfirmByNameProps extends NameFormProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What ends, and whether there is a way back. */
  readonly children: ReactNode;
}

export function ConfirmByName({ title, children, ...form }: ConfirmByNameProps) {
  const id = useId();
  return (
    <Modal labelledBy={id} isWide onClose={form.onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      <NameForm {...form} />
    </Modal>
  );
}

export function NameForm({ name, doing, label, busy, onConfirm, onClose }: NameFormProps) {
  const [typed, setTyped] = useState('');
  const [refusals, setRefusals] = useState(0);
  const [isTold, setTold] = useState(false);
  const form = useFirstProblem<HTMLFormElement>(refusals, doing.error);
  const isSame = typed.trim() === name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTold(!isSame);
    if (!isSame) setRefusals(refusals + 1);
    else if (!doing.isPending) onConfirm();
  };
  return (
    <form ref={form} className={classes['form']} noValidate onSubmit={submit}>
      <p>
        {text.typeName} <code className={classes['name']}>{name}</code>
      </p>
      <TextBox
        label={text.typeName}
        isLabelHidden
        isMono
        value={typed}
        problem={isTold && !isSame ? text.nameDiffers : undefined}
        onChange={setTyped}
      />
      <ConfirmButtons doing={doing} label={label} busy={busy} isDanger onClose={onClose} />
    </form>
  );
}
