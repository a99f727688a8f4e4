/** One field of a presentation: which value, what it is, and how much it matters. */
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Combobox } from '../../../shared/design/fields/combobox.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { withoutValue } from '../../../shared/editor/splices.ts';
import { editor as text } from '../text.ts';
import { moveField, setItemKind, setKind, setText, type FieldView } from './entry.ts';
import { Columns } from './columns.tsx';
import { ITEM_KINDS, KINDS, pathOptions, ROLES, WITH_LANGUAGE, type Editing } from './editing.ts';
import classes from './editor.module.css';

interface FieldCardProps extends Editing {
  readonly field: FieldView;
  readonly index: number;
  readonly count: number;
}

export function FieldCard({ field, index, count, ...editing }: FieldCardProps) {
  const { edit, problemAt, proposals, isReadOnly } = editing;
  const at = `/fields/${index}`;
  const name = field.label === '' ? text.field(index + 1) : field.label;
  const shared = (member: string) => ({
    pointer: `${at}/${member}`,
    problem: problemAt(`${at}/${member}`),
    isDisabled: isReadOnly,
  });
  const set = (member: string, isOptional: boolean) => (value: string) => {
    edit(setText(`${at}/${member}`, value, { isOptional }), `${at}/${member}`);
  };
  return (
    <li className={classes['card']} data-pointer={at}>
      <h3>{text.field(index + 1)}</h3>
      <div className={classes['row']}>
        <Combobox
          label={text.path}
          options={pathOptions(proposals)}
          isOpen
          value={field.path}
          onChange={set('path', false)}
          {...shared('path')}
        />
        <TextBox
          label={text.label}
          maxLength={100}
          value={field.label}
          onChange={set('label', false)}
          {...shared('label')}
        />
      </div>
      <div className={classes['row']}>
        <Select
          label={text.kind}
          options={KINDS}
          value={field.kind}
          onChange={(kind) => {
            edit(setKind(at, kind));
          }}
          {...shared('kind')}
        />
        <Select
          label={text.role}
          options={ROLES}
          value={field.role === '' ? 'secondary' : field.role}
          onChange={set('role', false)}
          {...shared('role')}
        />
      </div>
      <MoreOf field={field} at={at} {...editing} />
      {problemAt(at) !== undefined && <p className={classes['problem']}>{problemAt(at)}</p>}
      {!isReadOnly && <Acts index={index} count={count} name={name} edit={edit} />}
    </li>
  );
}

/** What only some kinds have. */
function MoreOf({
  field,
  at,
  ...editing
}: Editing & { readonly field: FieldView; readonly at: string }) {
  const { edit, problemAt, proposals, isReadOnly } = editing;
  const optional = (member: 'language' | 'before' | 'after') => ({
    label: text[member],
    value: field[member],
    pointer: `${at}/${member}`,
    problem: problemAt(`${at}/${member}`),
    isDisabled: isReadOnly,
    onChange: (value: string) => {
      edit(setText(`${at}/${member}`, value, { isOptional: true }), `${at}/${member}`);
    },
  });
  return (
    <>
      {WITH_LANGUAGE.includes(field.kind) && (
        <TextBox isMono maxLength={40} {...optional('language')} />
      )}
      {field.kind === 'diff' && (
        <div className={classes['row']}>
          <Combobox isOpen options={pathOptions(proposals)} {...optional('before')} />
          <Combobox isOpen options={pathOptions(proposals)} {...optional('after')} />
        </div>
      )}
      {field.kind === 'list' && (
        <Select
          label={text.itemKind}
          options={ITEM_KINDS}
          value={field.itemKind === '' ? 'json' : field.itemKind}
          pointer={`${at}/item/kind`}
          problem={problemAt(`${at}/item/kind`) ?? problemAt(`${at}/item`)}
          isDisabled={isReadOnly}
          onChange={(kind) => {
            edit(setItemKind(at, kind, field));
          }}
        />
      )}
      {field.kind === 'table' && <Columns field={field} at={at} {...editing} />}
    </>
  );
}

interface ActsProps extends Pick<Editing, 'edit'> {
  readonly index: number;
  readonly count: number;
  readonly name: string;
}

function Acts({ index, count, name, edit }: ActsProps) {
  const move = (to: number) => () => {
    edit(moveField(index, to));
  };
  return (
    <div className={classes['acts']} role="group" aria-label={name}>
      <LinkButton isDisabled={index === 0} onClick={move(index - 1)}>
        {text.up}
      </LinkButton>
      <LinkButton isDisabled={index === count - 1} onClick={move(index + 1)}>
        {text.down}
      </LinkButton>
      <LinkButton
        onClick={() => {
          edit((source) => withoutValue(source, `/fields/${index}`));
        }}
      >
        {text.remove}
      </LinkButton>
    </div>
  );
}
