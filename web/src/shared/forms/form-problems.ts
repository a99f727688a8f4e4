/** What is wrong in a form, by the name of the field. */
import { form as text } from '../text/form.ts';
import { ApiError } from '../api/api.ts';

export type FieldProblems = Readonly<Record<string, string>>;

interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** What the service refused in a body. A field has the name of its member. */
export function refusedFields(error: unknown): FieldProblems {
  const issues = error instanceof ApiError ? error.details['issues'] : undefined;
  if (!Array.isArray(issues)) return {};
  return Object.fromEntries(
    (issues as readonly Issue[]).map(({ pointer, message }) => [
      pointer.slice(1).replaceAll('/', '.'),
      sentence(message),
    ]),
  );
}

/** The service says what is wrong without a subject, such as `must have at most 200 characters`. */
const sentence = (message: string): string => `This ${message}${message.endsWith('.') ? '' : '.'}`;

/** What a browser finds before anything is sent. */
export function missingFields(form: HTMLFormElement): FieldProblems {
  const problems: Record<string, string> = {};
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    if (field.name !== '' && !field.validity.valid) problems[field.name] = reasonOf(field.validity);
  }
  return problems;
}

function reasonOf({ valueMissing, typeMismatch }: ValidityState): string {
  if (valueMissing) return text.missing;
  return typeMismatch ? text.notAnEmail : text.notValid;
}
