/** Creates a path from one of a few starts, then leads to its page. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useMemo, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import type { ApiError } from '../../../shared/api/api.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Combobox } from '../../../shared/design/fields/combobox.tsx';
import { FieldGroup } from '../../../shared/design/fields/field-group.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { ownZone, zoneOptions } from '../../../shared/design/fields/zones.ts';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { printedJson } from '../../../shared/editor/printed-json.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { useSensitiveMutation } from '../../../shared/session/recent-authentication.tsx';
import { slugOf } from '../../../shared/text/slugs.ts';
import { newHours, startNodes, type StartKind } from '../document/path-edits.ts';
import { TargetPicker, type Picked } from '../editing/target-picker.tsx';
import { editing } from '../editing/text.ts';
import { createPath } from '../paths-data.ts';
import { STARTS } from './path-starts.tsx';
import { create as text } from './text.ts';
import classes from './new-path.module.css';

interface NewPathProps {
  readonly start: StartKind;
  readonly onClose: () => void;
}

const takenField = ({ code, message }: ApiError) =>
  code === 'escalation_path_exists' ? { path_key: message } : undefined;

export function NewPath({ start, onClose }: NewPathProps) {
  const id = useId();
  const form = useNewPath(start);
  const { kind, name, creating } = form;
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{text.title}</h2>
      <Form
        isBusy={creating.isPending}
        error={creating.error}
        fieldOf={takenField}
        onSubmit={form.submit}
      >
        <Select
          label={text.starts}
          description={text.startHint[kind]}
          options={STARTS.map((value) => ({ value, label: text.start[value] }))}
          value={kind}
          onChange={form.setKind}
        />
        <TextField
          label={text.name}
          name="name"
          autoComplete="off"
          value={name}
          onChange={form.setName}
        />
        <TextField
          label={text.key}
          description={text.keyHint}
          name="path_key"
          autoComplete="off"
          value={form.key}
          onChange={form.setKey}
        />
        <Asked form={form} />
        <p className={classes['hint']}>{text.notActive}</p>
        <div className={classes['buttons']}>
          <Submit label={text.submit} busy={text.busy} />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}

function useNewPath(start: StartKind) {
  const [kind, setKind] = useState(start);
  const [typedName, setName] = useState<string>();
  const [typedKey, setKey] = useState<string>();
  const [first, setFirst] = useState<Picked>();
  const [second, setSecond] = useState<Picked>();
  const [zone, setZone] = useState(ownZone);
  const [isTold, setTold] = useState(false);
  const creating = useCreating();
  const name = typedName ?? text.start[kind];
  const key = typedKey ?? slugOf(name);
  const submit = () => {
    setTold(true);
    if (!first || (kind === 'turns' && !second)) return;
    const document = documentOf({ kind, name: name.trim(), zone, first, second });
    creating.mutate({ key: key.trim(), document });
  };
  return {
    ...{ kind, setKind, name, setName, key, setKey, first, setFirst, second, setSecond },
    ...{ zone, setZone, isTold, creating, submit },
  };
}

/** Who is asked, and where the office is. */
function Asked({ form }: { readonly form: ReturnType<typeof useNewPath> }) {
  const { kind, first, second, zone, isTold } = form;
  const zones = useMemo(() => zoneOptions(), []);
  return (
    <>
      <TargetField
        label={text.first[kind]}
        chosen={first}
        isMissing={isTold && !first}
        onChoose={form.setFirst}
      />
      {kind === 'turns' && (
        <TargetField
          label={text.second}
          chosen={second}
          isMissing={isTold && !second}
          onChoose={form.setSecond}
        />
      )}
      {kind === 'office' && (
        <Combobox
          label={text.zone}
          description={text.officeHours}
          options={zones}
          value={zone}
          onChange={form.setZone}
        />
      )}
    </>
  );
}

function useCreating() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useSensitiveMutation({
    mutationFn: async (given: { readonly key: string; readonly document: string }) =>
      await createPath(given.key, given.document),
    onSuccess: async (_created, { key }) => {
      await queries.invalidateQueries({ queryKey: ['escalation-paths'] });
      await navigate({ to: '/paths/$pathKey', params: { pathKey: key } });
    },
  });
}

interface Start {
  readonly kind: StartKind;
  readonly name: string;
  readonly zone: string;
  readonly first: Picked;
  readonly second: Picked | undefined;
}

function documentOf({ kind, name, zone, first, second = first }: Start): string {
  const hours = newHours(editing.officeHours, zone);
  const nodes = startNodes(kind, {
    ...{ first: targetOf(first), second: targetOf(second), hoursId: hours.id },
  });
  const document = { name, ...(kind === 'office' && { working_hours: [hours] }), nodes };
  return printedJson(stringifyExact(document));
}

const targetOf = ({ type, id }: Picked) => (type === 'broadcast' ? { type } : { type, id });

interface TargetFieldProps {
  readonly label: string;
  readonly chosen: Picked | undefined;
  readonly isMissing: boolean;
  readonly onChoose: (target: Picked | undefined) => void;
}

function TargetField({ label, chosen, isMissing, onChoose }: TargetFieldProps) {
  return (
    <FieldGroup
      label={label}
      problem={isMissing ? text.choose : undefined}
      className={classes['field']}
    >
      {chosen ? (
        <p>
          <ForeignText text={chosen.name} isName />{' '}
          <LinkButton
            onClick={() => {
              onChoose(undefined);
            }}
          >
            {text.change}
          </LinkButton>
        </p>
      ) : (
        <TargetPicker chosen={[]} onPick={onChoose} />
      )}
    </FieldGroup>
  );
}
