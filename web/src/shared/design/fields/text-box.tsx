/** One line of text, or several, whose value the page holds. Forms have `TextField`. */
import { Field, type FieldProps } from './field.tsx';
import classes from './field.module.css';

interface TextProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onBlur?: () => void;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly isReadOnly?: boolean;
  /** Values of documents keep their characters apart. */
  readonly isMono?: boolean;
}

const classOf = (name: 'control' | 'area', isMono: boolean): string =>
  [classes[name], isMono && classes['mono']].filter(Boolean).join(' ');

export function TextBox({
  value,
  onChange,
  onBlur,
  placeholder,
  maxLength,
  isReadOnly = false,
  isMono = false,
  inputMode,
  ...field
}: TextProps & { readonly inputMode?: 'text' | 'numeric' | 'decimal' }) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...{ value, onBlur, placeholder, maxLength, inputMode }}
          type="text"
          className={classOf('control', isMono)}
          readOnly={isReadOnly}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** It grows with its text. */
export function TextArea({
  value,
  onChange,
  onBlur,
  placeholder,
  maxLength,
  isReadOnly = false,
  isMono = false,
  rows = 3,
  ...field
}: TextProps & { readonly rows?: number }) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          {...{ value, onBlur, placeholder, maxLength, rows }}
          className={classOf('area', isMono)}
          readOnly={isReadOnly}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
