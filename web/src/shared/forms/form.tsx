/**
 * Forms. What was typed stays when a call fails, problems appear at their fields, and the first
 * wrong field gets the focus.
 */
import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/fields/field.tsx';
import controls from '../design/fields/field.module.css';
import { focusFirstProblem } from '../design/fields/first-problem.ts';
import { Select, type Option } from '../design/fields/select.tsx';
import { form as text } from '../text/form.ts';
import { ApiError } from '../api/api.ts';
import { missingFields, refusedFields, type FieldProblems } from './form-problems.ts';
import classes from './form.module.css';

interface FormState {
  readonly problems: FieldProblems;
  readonly isBusy: boolean;
}

const FormContext = createContext<FormState>({ problems: {}, isBusy: false });

export type Fields = Readonly<Record<string, string>>;

export interface FormProps {
  /** Gets the text of each named field. Not called while a call is under way. */
  readonly onSubmit: (fields: Fields) => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Where an error belongs to one field, its name and what to say there. */
  readonly fieldOf?: (error: ApiError) => FieldProblems | undefined;
  /** The accessible name, where the page has several forms. */
  readonly label?: string;
  readonly children: ReactNode;
}

export function Form({ onSubmit, isBusy, error, fieldOf, label, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [missing, setMissing] = useState<FieldProblems>({});
  const [edited, setEdited] = useState<{ readonly since: Error | null; readonly names: string[] }>({
    since: null,
    names: [],
  });
  const [sent, setSent] = useState<readonly string[]>([]);
  const wait = useWait(error);
  const refused = problemsOf(error, fieldOf);
  const elsewhere = Object.entries(refused).filter(([name]) => !sent.includes(name));
  const names = edited.since === error ? edited.names : [];
  const problems = Object.fromEntries(
    Object.entries({ ...refused, ...missing }).filter(([name]) => !names.includes(name)),
  );
  useEffect(() => {
    focusFirstProblem(form.current);
  }, [error, missing]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy || wait > 0) return;
    const found = missingFields(event.currentTarget);
    setMissing(found);
    setEdited({ since: error, names: [] });
    setSent(shownFields(event.currentTarget));
    if (Object.keys(found).length === 0) onSubmit(fieldsOf(event.currentTarget));
  };
  const edit = (event: FormEvent) => {
    const { name } = event.target as HTMLInputElement;
    if (name in problems) setEdited({ since: error, names: [...names, name] });
  };
  return (
    <FormContext value={{ problems, isBusy }}>
      <form
        ref={form}
        className={classes['form']}
        aria-label={label}
        noValidate
        onSubmit={submit}
        onInput={edit}
      >
        <Refusal
          error={error}
          wait={wait}
          atFields={Object.keys(refused).length - elsewhere.length}
        >
          {elsewhere.map(([name, message]) => `${name}: ${message}`).join(' ')}
        </Refusal>
        {children}
      </form>
    </FormContext>
  );
}

function problemsOf(error: Error | null, fieldOf: FormProps['fieldOf']): FieldProblems {
  if (!(error instanceof ApiError)) return {};
  return fieldOf?.(error) ?? refusedFields(error);
}

function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );
}

/** The fields at which a problem can be said. */
const shownFields = (form: HTMLFormElement): readonly string[] =>
  [...form.elements].flatMap((field) =>
    field instanceof HTMLElement && !field.hidden && field.getAttribute('type') !== 'hidden'
      ? [field.getAttribute('name') ?? '']
      : [],
  );

/** Announced to screen readers, as the fields with problems are when they get the focus. */
function Refusal({
  error,
  wait,
  atFields,
  children,
}: {
  readonly error: Error | null;
  readonly wait: number;
  /** How many fields say what is wrong there. One of them has the focus. */
  readonly atFields: number;
  /** What belongs to no field. */
  readonly children: string;
}) {
  const isLimit = error instanceof ApiError && error.retryAfterSeconds !== undefined;
  return (
    <div className={classes['refusal']} data-over={isLimit && wait === 0} role="alert">
      {isLimit && wait > 0 && <Wait seconds={error.retryAfterSeconds ?? 0} left={wait} />}
      {isLimit && wait === 0 && text.waitOver}
      {error && !isLimit && atFields === 0 && `${error.message} `}
      {atFields > 1 && `${text.checkFields} `}
      {children}
    </div>
  );
}

/** Each second changes what people see, and is not announced. */
function Wait({ seconds, left }: { readonly seconds: number; readonly left: number }) {
  return (
    <>
      <span className="visually-hidden">{text.wait(seconds)}</span>
      <span aria-hidden="true">{text.wait(left)}</span>
    </>
  );
}

/** The seconds that are left until the service lets one try again. */
function useWait(error: Error | null): number {
  const seconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  const [state, setState] = useState({ error, left: seconds });
  if (state.error !== error) setState({ error, left: seconds });
  useEffect(() => {
    if (seconds === 0) return undefined;
    const until = Date.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const left = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
      setState({ error, left });
      if (left === 0) clearInterval(timer);
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, [error, seconds]);
  return state.error === error ? state.left : seconds;
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly autoComplete: string;
  readonly description?: ReactNode;
  readonly type?: 'text' | 'email';
  readonly inputMode?: 'numeric' | 'text';
  readonly defaultValue?: string;
  readonly isOptional?: boolean;
  readonly isReadOnly?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange?: (value: string) => void;
  /** A value that the form holds, for fields that follow others. */
  readonly value?: string;
}

/** What the field around a control is told, and what the control is. */
function useField({ label, description, isOptional, isReadOnly, onChange, ...input }: FieldProps) {
  const { problems } = useContext(FormContext);
  return {
    field: { label, description, problem: problems[input.name] },
    input: {
      ...input,
      required: isOptional !== true,
      readOnly: isReadOnly,
      ...(onChange && {
        onChange: ({ currentTarget }: FormEvent<HTMLInputElement>) => {
          onChange(currentTarget.value);
        },
      }),
    },
  };
}

export function TextField(props: FieldProps) {
  const { field, input } = useField(props);
  return (
    <Field {...field}>
      {(control) => (
        <input
          type="text"
          spellCheck={false}
          {...control}
          {...input}
          className={controls['control']}
        />
      )}
    </Field>
  );
}

interface PasswordFieldProps extends FieldProps {
  /** For a secret that is no password. */
  readonly showLabel?: string;
}

export function PasswordField({ showLabel = text.showPassword, ...props }: PasswordFieldProps) {
  const { field, input } = useField(props);
  const [isShown, setShown] = useState(false);
  return (
    <Field {...field}>
      {(control) => (
        <span className={classes['secret']}>
          <input
            {...control}
            {...input}
            type={isShown ? 'text' : 'password'}
            className={controls['control']}
          />
          <button
            type="button"
            className={classes['show']}
            aria-label={showLabel}
            aria-pressed={isShown}
            onClick={() => {
              setShown(!isShown);
            }}
          >
            <Eye isCrossed={isShown} />
          </button>
        </span>
      )}
    </Field>
  );
}

function Eye({ isCrossed }: { readonly isCrossed: boolean }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentcolor">
      <path d="M1.5 10C3 6.5 6 4.5 10 4.5s7 2 8.5 5.5c-1.5 3.5-4.5 5.5-8.5 5.5S3 13.5 1.5 10Z" />
      <circle cx="10" cy="10" r="2.75" />
      {isCrossed && <path d="M4 3l12 14" />}
    </svg>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly name: string;
  readonly description?: ReactNode;
  readonly options: readonly Option[];
  /** A value that the page holds. Without it, the form begins with the first option. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

export function SelectField({ name, options, value, onChange, ...field }: SelectFieldProps) {
  const { problems } = useContext(FormContext);
  const [chosen, setChosen] = useState(options[0]?.value ?? '');
  return (
    <Select
      {...field}
      {...{ name, options }}
      value={value ?? chosen}
      problem={problems[name]}
      onChange={onChange ?? setChosen}
    />
  );
}

/** Says what it does, and what happens while it works. It stays in place for the keyboard. */
export function Submit({ label, busy }: { readonly label: string; readonly busy: string }) {
  const { isBusy } = useContext(FormContext);
  return (
    <Button type="submit" aria-disabled={isBusy} aria-busy={isBusy}>
      {isBusy ? busy : label}
    </Button>
  );
}
