/** Issues a key that acts for the organization, in three steps, and shows it once. */
import { useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { refusedFields } from '../../../shared/forms/form-problems.ts';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { Loading, PartFailed } from '../../../shared/page/states.tsx';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ExpiryFields, useExpiry } from '../issue/expiry-fields.tsx';
import { IssuedKey } from '../issue/issued-key.tsx';
import { readKeysAgain, type Key } from '../keys-data.ts';
import { issue as formText } from '../text.ts';
import {
  createOrganizationKey,
  keyOptionsQuery,
  type KeyOptions,
  type NewOrganizationKey,
} from './organization-keys-data.ts';
import { PolicyDrafts, usePolicyDrafts } from './policy-drafts.tsx';
import { issue as text } from './text.ts';
import classes from '../keys.module.css';

export function NewOrganizationKey({ onClose }: { readonly onClose: () => void }) {
  const options = useQuery(keyOptionsQuery);
  if (options.data) return <Issue options={options.data} onClose={onClose} />;
  return (
    <Panel title={text.title}>
      {options.isError ? <PartFailed part={options} /> : <Loading />}
    </Panel>
  );
}

const POLICIES = 'permission_policies';

interface IssueProps {
  readonly options: KeyOptions;
  readonly onClose: () => void;
}

function Issue({ options, onClose }: IssueProps) {
  const { issuing, secret, forget } = useIssuedSecret(createOrganizationKey);
  if (secret === undefined) return <IssueForm {...{ options, issuing, onClose }} />;
  return (
    <IssuedKey
      name={issuing.data?.name ?? ''}
      secret={secret}
      onStored={() => {
        forget();
        onClose();
      }}
    />
  );
}

interface IssueFormProps extends IssueProps {
  readonly issuing: UseMutationResult<Key, Error, NewOrganizationKey>;
}

function IssueForm({ options, issuing, onClose }: IssueFormProps) {
  const queries = useQueryClient();
  const expiry = useExpiry(options.max_expires_at);
  const drafts = usePolicyDrafts(options);
  const refused = Object.entries(refusedFields(issuing.error));
  const isOfPolicies = ([field]: readonly [string, string]) => field.startsWith(POLICIES);
  return (
    <Panel title={text.title} hint={text.hint}>
      <Form
        isBusy={issuing.isPending}
        error={issuing.error}
        fieldOf={() => Object.fromEntries(refused.filter((each) => !isOfPolicies(each)))}
        onSubmit={({ name = '' }) => {
          const policies = drafts.complete();
          if (!policies) return;
          issuing.mutate(
            { name: name.trim(), policies, expiresAt: expiry.expiresAt() },
            { onSuccess: () => void readKeysAgain(queries) },
          );
        }}
      >
        <Step title={text.steps.name}>
          <TextField
            label={text.name}
            description={text.nameHint}
            name="name"
            autoComplete="off"
            autoFocus
          />
        </Step>
        <Step title={text.steps.may}>
          <PolicyDrafts
            options={options}
            drafts={drafts}
            problemAt={(path) =>
              refused.find(([field]) => field.startsWith(`${POLICIES}.${path}`))?.[1]
            }
          />
        </Step>
        <Step title={text.steps.until}>
          <ExpiryFields expiry={expiry} />
        </Step>
        <p className={classes['soft']}>{text.again}</p>
        <div className={classes['buttons']}>
          <Submit label={formText.submit} busy={formText.busy} />
          <Button isSecondary onClick={onClose}>
            {formText.cancel}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes['step']}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
