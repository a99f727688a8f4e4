/** Writes a new policy, or another text of one. Shows what it would do before it is saved. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../design/button.tsx';
import { ApiError } from '../api/api.ts';
import { Modal } from '../design/dialogs/modal.tsx';
import { Checkbox } from '../design/fields/checkbox.tsx';
import { useFirstProblem } from '../design/fields/first-problem.ts';
import { ForeignText } from '../exact/foreign-text.tsx';
import { refusedFields } from '../forms/form-problems.ts';
import { isOwner } from '../session/ownership.ts';
import { accountQuery, type Account } from '../session/session.ts';
import {
  policiesQuery,
  type Policy,
  type PolicyHolder,
  type PolicyPage,
  type Terms,
} from './access-data.ts';
import classes from './access.module.css';
import { ChangeEffect } from './change-effect.tsx';
import { isComplete, termsIn, termsOf, type Scope } from './granting.ts';
import { PermissionsField } from './permissions-field.tsx';
import { NewerPolicy } from './newer-policy.tsx';
import { useSavePolicy } from './policy-changes.ts';
import { PolicySentence } from './policy-sentence.tsx';
import { ScopeField } from './scope-field.tsx';
import { editor as text } from './text.ts';

interface EditorProps {
  readonly holder: PolicyHolder;
  readonly page: PolicyPage;
  /** The policy to change. Without it, the editor grants another one. */
  readonly policy?: Policy;
  readonly onClose: () => void;
}

interface Draft {
  readonly scope: Scope;
  readonly permissions: readonly string[];
  readonly isOwner: boolean;
}

const draftOf = (policy: Policy | undefined): Draft => ({
  scope: { kind: policy?.scope_kind ?? 'organization', ids: policy?.resource_ids ?? [] },
  permissions: policy?.permissions ?? [],
  isOwner: policy?.is_owner ?? false,
});

export function PolicyEditor({ holder, page, policy, onClose }: EditorProps) {
  const id = useId();
  const { data: account } = useSuspenseQuery(accountQuery);
  /** What the change is based on: the policy as it was opened, or a newer one that the person has seen. */
  const [base, setBase] = useState(policy);
  const [draft, setDraft] = useState(() => draftOf(policy));
  /** How often it was sent. */
  const [attempts, setAttempts] = useState(0);
  const save = useSavePolicy(holder, onClose);
  const form = useFirstProblem<HTMLFormElement>(attempts, save.error);
  const terms = termsOf(page, draft);
  const problems = problemsOf(save.error, { draft, isTold: attempts > 0 });
  const isChanged = base === undefined || JSON.stringify(termsIn(base)) !== JSON.stringify(terms);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempts(attempts + 1);
    if (save.isPending || !isComplete(terms)) return;
    save.mutate({ terms, ...(base && { replaces: base }) });
  };
  const change = (next: Partial<Draft>) => {
    setDraft({ ...draft, ...next });
    if (save.isError) save.reset();
  };
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>
        {policy ? text.changeOf : text.grantTo} <ForeignText text={holder.name} isName />
      </h2>
      <form ref={form} className={classes['editor']} noValidate onSubmit={submit}>
        <Fields {...{ holder, page, account, draft, problems, change }} />
        {isComplete(terms) && <Outcome {...{ holder, page, base, terms }} isChanged={isChanged} />}
        {base && isPolicyChanged(save.error) ? (
          <Newer
            {...{ holder, terms }}
            policy={base}
            onBase={(newer, isTaken) => {
              setBase(newer);
              if (isTaken) setDraft(draftOf(newer));
              save.reset();
            }}
          />
        ) : (
          <p role="alert" className={classes['problem']}>
            {problems.elsewhere}
          </p>
        )}
        <div className={classes['buttons']}>
          <Button type="submit" aria-busy={save.isPending}>
            {save.isPending ? text.saving : text.save}
          </Button>
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const isPolicyChanged = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'policy_changed';

interface OutcomeProps {
  readonly holder: PolicyHolder;
  readonly page: PolicyPage;
  readonly base: Policy | undefined;
  readonly terms: Terms;
  readonly isChanged: boolean;
}

/** What would be saved, and what it would do. */
function Outcome({ holder: { kind, id }, page, base, terms, isChanged }: OutcomeProps) {
  const change = { holder: { kind, id }, policy: terms };
  return (
    <>
      <p className={classes['reads']}>
        {text.saves} <PolicySentence terms={terms} resources={page.resources} />
      </p>
      {isChanged && (
        <ChangeEffect
          // A newer policy would be changed by the same terms in another way.
          key={base?.revision}
          change={
            base
              ? { change: 'replace_policy', policy_id: base.id, ...change }
              : { change: 'create_policy', ...change }
          }
        />
      )}
    </>
  );
}

interface Problems {
  readonly scope: string | undefined;
  readonly permissions: string | undefined;
  readonly elsewhere: string | undefined;
}

/** What is missing, then what the service refused: at its field where it names one. */
function problemsOf(
  error: Error | null,
  { draft: { scope, permissions, ...draft }, isTold }: { draft: Draft; isTold: boolean },
): Problems {
  const refused = Object.entries(refusedFields(error));
  const at = (field: string) => refused.find(([name]) => name.startsWith(field))?.[1];
  const [scopeProblem, permissionProblem] = [at('resource_ids'), at('permissions')];
  const isNamed = scopeProblem !== undefined || permissionProblem !== undefined;
  const missingScope =
    isTold && !draft.isOwner && scope.kind !== 'organization' && scope.ids.length === 0
      ? text.none[scope.kind]
      : undefined;
  const missingPermission =
    isTold && !draft.isOwner && permissions.length === 0 ? text.nonePicked : undefined;
  return {
    scope: missingScope ?? scopeProblem,
    permissions: missingPermission ?? permissionProblem,
    elsewhere: isNamed ? undefined : error?.message,
  };
}

interface FieldsProps extends Pick<EditorProps, 'holder' | 'page'> {
  readonly account: Account;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly change: (next: Partial<Draft>) => void;
}

function Fields({ holder, page, account, draft, problems, change }: FieldsProps) {
  const mayMakeOwner = holder.kind === 'member' && isOwner(account);
  return (
    <>
      {mayMakeOwner && (
        <Checkbox
          label={text.owner}
          description={text.ownerHint}
          isChecked={draft.isOwner}
          onChange={(isChecked) => {
            change({ isOwner: isChecked });
          }}
        />
      )}
      {!draft.isOwner && (
        <>
          <ScopeField
            page={page}
            scope={draft.scope}
            problem={problems.scope}
            onChange={(scope) => {
              change({ scope });
            }}
          />
          <PermissionsField
            {...{ page, account }}
            scope={draft.scope}
            chosen={draft.permissions}
            problem={problems.permissions}
            onChange={(permissions) => {
              change({ permissions });
            }}
          />
        </>
      )}
    </>
  );
}

interface NewerProps {
  readonly holder: PolicyHolder;
  readonly policy: Policy;
  readonly terms: Terms;
  /** The newer policy is what the change is based on now, and `isTaken`: what it begins with. */
  readonly onBase: (newer: Policy, isTaken: boolean) => void;
}

/** The list is read again: it has the policy as it is now. */
function Newer({ holder, policy, terms, onBase }: NewerProps) {
  const page = useQuery({ ...policiesQuery(holder), staleTime: 0, refetchOnMount: 'always' });
  const newer = page.data?.policies.find(({ id }) => id === policy.id);
  if (page.isFetching || !page.data) return null;
  return (
    <NewerPolicy
      {...{ newer, terms }}
      resources={page.data.resources}
      onKeep={(each) => {
        onBase(each, false);
      }}
      onTake={(each) => {
        onBase(each, true);
      }}
    />
  );
}
