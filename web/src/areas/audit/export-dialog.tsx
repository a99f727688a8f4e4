/** The log as a file: what is in it, and how to verify it. */
import { useId, useState } from 'react';
import { Button, ButtonLink } from '../../shared/design/button.tsx';
import { Modal } from '../../shared/design/dialogs/modal.tsx';
import { SegmentedControl } from '../../shared/design/fields/segmented-control.tsx';
import { Code } from '../../shared/page/code.tsx';
import { filterQuery, isFiltered } from './audit-filter.ts';
import type { AuditSearch } from './audit-search.ts';
import { getKeys, VERIFY_KEPT } from './commands.ts';
import { exporting as text } from './text.ts';
import classes from './audit.module.css';

type Form = keyof typeof text.forms;

const FORMS = ['proof', 'ndjson', 'csv'] as const satisfies readonly Form[];

function addressOf(search: AuditSearch, form: Form): string {
  const query = filterQuery(search);
  if (form === 'csv') query.set('format', 'csv');
  if (form === 'proof') query.set('proof', 'true');
  return `/api/v1/audit/export?${query.toString()}`;
}

interface ExportDialogProps {
  readonly search: AuditSearch;
  readonly onClose: () => void;
}

export function ExportDialog({ search, onClose }: ExportDialogProps) {
  const id = useId();
  const [form, setForm] = useState<Form>('proof');
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{text.title}</h2>
      <SegmentedControl
        label={text.form}
        options={FORMS.map((value) => ({ value, label: text.forms[value] }))}
        value={form}
        onChange={setForm}
      />
      <p>{text.contents[form]}</p>
      <p>
        {isFiltered(search) ? text.filtered : text.whole} {text.recorded}
      </p>
      {form === 'proof' && (
        <>
          <h3>{text.verify}</h3>
          <p>{text.verifyHint}</p>
          <Code label={text.verify} value={`${getKeys()}\n${VERIFY_KEPT}`} />
        </>
      )}
      <div className={classes['buttons']}>
        <ButtonLink
          // eslint-disable-next-line no-restricted-syntax -- Its path is ours.
          href={addressOf(search, form)}
          download={form === 'csv' ? 'audit.csv' : 'audit.ndjson'}
        >
          {text.download}
        </ButtonLink>
        <Button isSecondary onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Modal>
  );
}
