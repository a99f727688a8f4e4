/** One of a few values: the browser's own list, which phones and screen readers know. */
import { Field, type FieldProps } from './field.tsx';
import field from './field.module.css';
import classes from './select.module.css';

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly isDisabled?: boolean;
}

interface ChoiceProps<Value extends string> {
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** With its label above it. */
export function Select<Value extends string>({
  options,
  value,
  onChange,
  name,
  ...props
}: FieldProps & ChoiceProps<Value> & { readonly name?: string }) {
  return (
    <Field {...props}>
      {(control) => (
        <span className={classes['select']}>
          <select
            {...control}
            name={name}
            className={field['control']}
            value={value}
            onChange={({ currentTarget }) => {
              onChange(currentTarget.value as Value);
            }}
          >
            <Options options={options} />
          </select>
        </span>
      )}
    </Field>
  );
}

interface InlineProps {
  readonly label: string;
  /** The label stands before it. Otherwise one does not see it. */
  readonly isLabelShown?: boolean;
}

/** As small as its value: for filters and parts of sentences. */
export function InlineSelect<Value extends string>({
  isLabelShown = false,
  ...props
}: ChoiceProps<Value> & InlineProps) {
  if (!isLabelShown) return <Inline {...props} />;
  return (
    <label className={classes['labelled']}>
      {props.label} <Inline {...props} />
    </label>
  );
}

function Inline<Value extends string>({
  label,
  options,
  value,
  onChange,
}: ChoiceProps<Value> & InlineProps) {
  return (
    <span className={classes['inline']}>
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value as Value);
        }}
      >
        <Options options={options} />
      </select>
    </span>
  );
}

function Options({ options }: { readonly options: readonly Option[] }) {
  return options.map(({ value, label, isDisabled = false }) => (
    <option key={value} value={value} disabled={isDisabled}>
      {label}
    </option>
  ));
}
