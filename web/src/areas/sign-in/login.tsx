/** Signing in with email and password. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { call } from '../../shell/api.ts';
import { safeReturnPath } from '../../shell/return-to.ts';
import { startSession, type Account } from '../../shell/session.ts';
import { signIn as text } from '../../text/sign-in.ts';
import { FormProblem, SignInPage } from './page.tsx';
import classes from './page.module.css';

export function Login() {
  const { return_to: returnTo } = useSearch({ from: '/login' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: async () => (await call('post', '/auth/login', { body: { email, password } })).body,
    onSuccess: async (body) => {
      if ('mfa' in body) return;
      startSession(queries, body as Account);
      await navigate({ href: safeReturnPath(returnTo), replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <SignInPage title={text.title}>
      <form className={classes['form']} onSubmit={submit}>
        <TextInput
          label={text.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ currentTarget }) => {
            setEmail(currentTarget.value);
          }}
        />
        <PasswordInput
          label={text.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ currentTarget }) => {
            setPassword(currentTarget.value);
          }}
        />
        <FormProblem error={signIn.error} />
        <Button type="submit" loading={signIn.isPending}>
          {text.submit}
        </Button>
      </form>
    </SignInPage>
  );
}
