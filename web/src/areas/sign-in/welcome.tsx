/** The first page of a new deployment: creates the organization and its first owner. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { call } from '../../shell/api.ts';
import { startSession } from '../../shell/session.ts';
import { signIn as text } from '../../text/sign-in.ts';
import { FormProblem, SignInPage } from './page.tsx';
import classes from './page.module.css';

export function Welcome() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const field = (name: string) => String(form.get(name) ?? '');
      const body = {
        secret: field('secret').trim(),
        organization_name: field('organization_name'),
        display_name: field('display_name'),
        email: field('email'),
        password: field('password'),
      };
      return (await call('post', '/auth/bootstrap', { body })).body;
    },
    onSuccess: async (account) => {
      startSession(queries, account);
      await navigate({ to: '/', replace: true });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  return (
    <SignInPage title={text.welcomeTitle} intro={text.welcomeIntro}>
      <form className={classes['form']} onSubmit={submit}>
        <PasswordInput
          label={text.secret}
          description={text.secretHint}
          name="secret"
          autoComplete="off"
          required
        />
        <TextInput label={text.organizationName} name="organization_name" required />
        <TextInput label={text.displayName} name="display_name" autoComplete="name" required />
        <TextInput label={text.email} name="email" type="email" autoComplete="username" required />
        <PasswordInput
          label={text.newPassword}
          name="password"
          autoComplete="new-password"
          required
        />
        <FormProblem error={create.error} />
        <Button type="submit" loading={create.isPending}>
          {text.create}
        </Button>
      </form>
    </SignInPage>
  );
}
