/** The columns of a table: parts of each of its items. */
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { withoutValue } from '../../../shared/editor/splices.ts';
import { editor as text } from '../text.ts';
import { addColumn, setText, type FieldView } from './entry.ts';
import { KINDS, type Editing } from './editing.ts';
import classes from './editor.module.css';

interface ColumnsProps extends Editing {
  readonly field: FieldView;
  readonly at: string;
}

export function Columns({ field, at, edit, problemAt, isReadOnly }: ColumnsProps) {
  return (
    <fieldset className={classes['columns']}>
      <legend>{text.columns}</legend>
      {field.columns.map((column, index) => {
        const place = `${at}/item/fields/${index}`;
        const shared = (member: 'path' | 'label' | 'kind') => ({
          value: column[member],
          pointer: `${place}/${member}`,
          problem: problemAt(`${place}/${member}`),
          isDisabled: isReadOnly,
          onChange: (value: string) => {
            edit(setText(`${place}/${member}`, value), `${place}/${member}`);
          },
        });
        return (
          <div
            key={index}
            className={classes['column']}
            role="group"
            aria-label={text.column(index + 1)}
          >
            <TextBox label={text.path} isMono {...shared('path')} />
            <TextBox label={text.label} maxLength={100} {...shared('label')} />
            <Select label={text.kind} options={KINDS} {...shared('kind')} />
            {!isReadOnly && (
              <LinkButton
                onClick={() => {
                  edit((source) => withoutValue(source, place));
                }}
              >
                {text.remove}
              </LinkButton>
            )}
          </div>
        );
      })}
      {!isReadOnly && (
        <LinkButton
          onClick={() => {
            edit(addColumn(at, field));
          }}
        >
          {text.addColumn}
        </LinkButton>
      )}
    </fieldset>
  );
}
