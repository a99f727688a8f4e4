/** One test: field, operator and value, and what helps with them. */
import { Combobox } from '../design/fields/combobox.tsx';
import { Select } from '../design/fields/select.tsx';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { problemAt } from '../editor/problems.ts';
import { addBeside, chooseField, setField, setOperator } from './condition-edits.ts';
import { useCondition } from './condition-context.ts';
import { fieldLabel, fieldsIn, type FieldChoice } from './field-choices.ts';
import { optionOf } from './field-options.ts';
import { missingCurrency } from './missing-currency.ts';
import { firstKind, nameOf, operatorsFor, valueOf, type Leaf } from './operators.ts';
import { PatternTest } from './pattern-test.tsx';
import { conditions as text } from './text.ts';
import { ValueField } from './value-field.tsx';
import { parsed } from './value-texts.ts';
import classes from './conditions.module.css';

interface TestRowProps {
  readonly test: Leaf;
  readonly pointer: string;
  readonly lists: readonly string[];
  readonly onRemove?: () => void;
}

const UNKNOWN = { types: [], examples: [] } as const;

export function TestRow({ test, pointer, lists, onRemove }: TestRowProps) {
  const { edit, isReadOnly, known, problems } = useCondition();
  const { field, operator } = test;
  const choices = fieldsIn(known.fields, lists);
  const chosen = choices.find(
    (each) => each.pointer === field && each.lists.length > 0 === field.startsWith('/item'),
  );
  const { types, examples } = chosen ?? UNKNOWN;
  return (
    <div className={classes['test']} data-pointer={pointer}>
      <div className={classes['field']}>
        <Combobox
          label={text.field}
          isLabelHidden
          isOpen
          options={choices.map(optionOf)}
          value={field}
          placeholder={text.fieldPlaceholder}
          pointer={`${pointer}/field`}
          problem={problemAt(problems, `${pointer}/field`)}
          isDisabled={isReadOnly}
          onChange={(next) => {
            const choice = choices.find((each) => each.pointer === next);
            edit((all) =>
              choice ? chooseField(all, pointer, choice) : setField(all, pointer, next),
            );
          }}
        />
      </div>
      <Select
        label={text.operator}
        isLabelHidden
        options={operatorsFor({ types, examples }, operator).map((value) => ({
          ...{ value, label: nameOf(value) },
        }))}
        value={operator}
        pointer={`${pointer}/operator`}
        problem={problemAt(problems, `${pointer}/operator`)}
        isDisabled={isReadOnly}
        onChange={(next) => {
          edit((all) => setOperator(all, pointer, { operator: next, kind: firstKind(types) }));
        }}
      />
      <ValueField key={`${operator} ${field}`} {...{ test, pointer, types }} />
      {onRemove && !isReadOnly && <Remove onRemove={onRemove} />}
      <Help {...{ test, pointer, lists, chosen }} />
    </div>
  );
}

const Remove = ({ onRemove }: { readonly onRemove: () => void }) => (
  <button
    type="button"
    className={classes['remove']}
    aria-label={text.removeTest}
    onClick={onRemove}
  >
    <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      <path d="M5 5l10 10M15 5L5 15" fill="none" stroke="currentcolor" strokeWidth="1.6" />
    </svg>
  </button>
);

interface HelpProps extends Omit<TestRowProps, 'onRemove'> {
  readonly chosen: FieldChoice | undefined;
}

/** Below the row. */
function Help({ test, pointer, lists, chosen }: HelpProps) {
  const { edit, isReadOnly, known, root } = useCondition();
  const currency = missingCurrency(test, { fields: known.fields, lists, root });
  const [example] = (chosen?.examples ?? []).map(parsed);
  if (valueOf(test.operator) === 'pattern')
    return (
      <PatternTest
        pattern={typeof test.value === 'string' ? test.value : ''}
        example={typeof example === 'string' ? example : undefined}
      />
    );
  if (!currency) return null;
  return (
    <p className={classes['help']}>
      {text.currency(fieldLabel(currency.pointer))}{' '}
      {!isReadOnly && (
        <LinkButton
          onClick={() => {
            const [value = ''] = currency.examples.map(parsed);
            const added = { id: 'currency', field: currency.pointer, operator: 'equals', value };
            edit((all) => addBeside(all, pointer, added));
          }}
        >
          {text.addCurrency}
        </LinkButton>
      )}
    </p>
  );
}
