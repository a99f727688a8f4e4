/** A code of the second factor. */
import { signIn as text } from '../text/sign-in.ts';
import type { ApiError } from '../api/api.ts';
import { TextField } from './form.tsx';

export type CodeKind = 'totp' | 'recovery_code';

/** What a form says at the field when the service refuses the code. */
export const wrongCode = ({ code }: ApiError) =>
  code === 'invalid_credentials' ? { code: text.wrongCode } : undefined;

export function CodeField({
  kind,
  autoFocus = false,
}: {
  readonly kind: CodeKind;
  readonly autoFocus?: boolean;
}) {
  return (
    <TextField
      label={text.code[kind]}
      name="code"
      autoComplete={kind === 'totp' ? 'one-time-code' : 'off'}
      inputMode={kind === 'totp' ? 'numeric' : 'text'}
      autoFocus={autoFocus}
    />
  );
}
