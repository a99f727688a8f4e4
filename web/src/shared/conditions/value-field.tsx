/** What a test compares with. The text that was typed stays: digits, spaces and case. */
import { useState, type KeyboardEvent } from 'react';
import type { FieldType } from '../../../../src/domain/conditions/operators.ts';
import type { ExactValue } from '../../../../src/platform/json/exact-values.ts';
import { Chip } from '../design/marks/badge.tsx';
import { Combobox } from '../design/fields/combobox.tsx';
import { InlineSelect, Select } from '../design/fields/select.tsx';
import { TextBox } from '../design/fields/text-box.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { problemsWithin } from '../editor/problems.ts';
import { withItem, withoutValue } from '../editor/splices.ts';
import { useCondition } from './condition-context.ts';
import { setValue } from './condition-edits.ts';
import { firstKind, valueOf, type Leaf } from './operators.ts';
import { conditions as text } from './text.ts';
import { isOfKind, kindOf, typedText, valueSource, type ValueKind } from './value-texts.ts';
import classes from './conditions.module.css';

interface ValueFieldProps {
  readonly test: Leaf;
  readonly pointer: string;
  readonly types: readonly FieldType[];
}

export function ValueField(props: ValueFieldProps) {
  switch (valueOf(props.test.operator)) {
    case 'none':
      return <NoField {...props} />;
    case 'list':
      return <ListField {...props} />;
    case 'any':
      return <OneField {...props} />;
    case 'ordered':
      return <TextField {...props} kind="number" />;
    default:
      return <TextField {...props} kind="text" />;
  }
}

const useProblem = (pointer: string): string | undefined => {
  const { problems } = useCondition();
  return problemsWithin(problems, `${pointer}/value`)[0]?.message;
};

/** A value that is there nevertheless, as in text that someone wrote, is refused. */
function NoField({ pointer }: ValueFieldProps) {
  const problem = useProblem(pointer);
  return (
    <span data-pointer={`${pointer}/value`} tabIndex={-1} className={classes['hint']}>
      {problem}
    </span>
  );
}

interface TextFieldProps extends ValueFieldProps {
  readonly kind: ValueKind;
  readonly onTyped?: () => void;
}

/** For `ordered`, a text is a time. */
function TextField({ test, pointer, kind, onTyped }: TextFieldProps) {
  const { edit, isReadOnly } = useCondition();
  const problem = useProblem(pointer);
  const choices = useChoices(test.field);
  const set = (typed: string) => {
    onTyped?.();
    edit((all) => setValue(all, pointer, valueSource(typed, kind)), `${pointer}/value`);
  };
  const field = {
    ...{ label: text.value, isLabelHidden: true, isDisabled: isReadOnly },
    ...{ value: typedText(test.value), pointer: `${pointer}/value`, problem, onChange: set },
  };
  if (choices.length > 0 && test.operator === 'equals')
    return (
      <Combobox {...field} isOpen options={choices.map((value) => ({ value, label: value }))} />
    );
  return <TextBox {...field} isMono inputMode={kind === 'number' ? 'decimal' : 'text'} />;
}

/** Names that the service knows. */
function useChoices(field: string): readonly string[] {
  const { tools, servers } = useCondition().known;
  if (field === '/request/tool') return tools;
  return field === '/request/server' ? servers : [];
}

const KINDS = ['text', 'number', 'boolean', 'null', 'json'] as const;

interface KindSelectProps {
  readonly kind: ValueKind;
  readonly onChange: (kind: ValueKind) => void;
}

const KindSelect = ({ kind, onChange }: KindSelectProps) => (
  <InlineSelect
    label={text.valueKind}
    options={KINDS.map((value) => ({ value, label: text.kinds[value] }))}
    value={kind}
    onChange={onChange}
  />
);

function OneField(props: ValueFieldProps) {
  const { test, pointer, types } = props;
  const { edit, isReadOnly } = useCondition();
  const typed = typedText(test.value);
  const first = typed === '' ? firstKind(types) : kindOf(test.value);
  /** Once something was typed: half a number is no other kind. */
  const [kept, setKept] = useState<ValueKind>();
  const kind = kept ?? first;
  const isMeant = isOfKind(typed, kind);
  const field =
    kind === 'boolean' ? (
      <Select
        label={text.value}
        isLabelHidden
        options={[
          { value: 'true', label: text.yes },
          { value: 'false', label: text.no },
        ]}
        value={typed}
        isDisabled={isReadOnly}
        onChange={(value) => {
          edit((all) => setValue(all, pointer, value));
        }}
      />
    ) : (
      kind !== 'null' && (
        <TextField
          {...props}
          kind={kind}
          onTyped={() => {
            setKept(kind);
          }}
        />
      )
    );
  const isName = test.field === '/request/tool' || test.field === '/request/server';
  return (
    <div className={classes['value']}>
      {field}
      {!isName && (
        <KindSelect
          kind={kind}
          onChange={(next) => {
            setKept(next);
            const value = next === 'boolean' ? 'true' : next === 'null' ? 'null' : typed;
            edit((all) => setValue(all, pointer, valueSource(value, next)));
          }}
        />
      )}
      {!isMeant && typed !== '' && kind !== 'boolean' && (
        <p className={classes['hint']}>{text.notOfKind(text.kinds[kind])}</p>
      )}
      {isMeant && !isOneOf(types, kind) && (
        <p className={classes['hint']}>
          {text.otherType(types.map((type) => text.types[type]).join(', '))}
        </p>
      )}
    </div>
  );
}

const TYPE_OF = { text: 'string', number: 'number', boolean: 'boolean', null: 'null' } as const;

/** Whether calls have values of this kind there, as far as is known. Lists have items of any. */
const isOneOf = (types: readonly FieldType[], kind: ValueKind): boolean =>
  kind === 'json' || types.length === 0 || types.includes('array') || types.includes(TYPE_OF[kind]);

function ListField({ test, pointer, types }: ValueFieldProps) {
  const { edit, isReadOnly } = useCondition();
  const [typed, setTyped] = useState('');
  const problem = useProblem(pointer);
  const values: readonly ExactValue[] = Array.isArray(test.value) ? test.value : [];
  const [chosen, setChosen] = useState<ValueKind>();
  const kind = chosen ?? (values.length > 0 ? kindOf(values[0]) : firstKind(types));
  const add = () => {
    if (typed === '') return;
    const list = `${pointer}/value`;
    const source = valueSource(typed, kind);
    edit((all) => withItem(all, { list, index: values.length }, source));
    setTyped('');
  };
  return (
    <div className={classes['value']}>
      <span className={classes['chips']}>
        {values.map((value, index) => (
          <Chip
            key={index}
            {...(!isReadOnly && {
              removeLabel: text.removeValue(typedText(value)),
              onRemove: () => {
                edit((all) => withoutValue(all, `${pointer}/value/${index}`));
              },
            })}
          >
            <ForeignText text={value === '' ? text.emptyText : typedText(value)} />
          </Chip>
        ))}
      </span>
      {!isReadOnly && (
        <div
          className={classes['adder']}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        >
          <TextBox
            label={text.addValue}
            isLabelHidden
            isMono
            placeholder={text.listHint}
            value={typed}
            problem={problem}
            pointer={`${pointer}/value`}
            onBlur={add}
            onChange={setTyped}
          />
          <KindSelect kind={kind} onChange={setChosen} />
        </div>
      )}
    </div>
  );
}
