/** What a new key may do: one or several sets of permissions, each at its own place. One is open at a time. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import type { Terms } from '../../../shared/access/access-data.ts';
import { isComplete, termsOf, type Scope } from '../../../shared/access/granting.ts';
import { PermissionsField } from '../../../shared/access/permissions-field.tsx';
import { PolicySentence } from '../../../shared/access/policy-sentence.tsx';
import { ScopeField } from '../../../shared/access/scope-field.tsx';
import { editor } from '../../../shared/access/text.ts';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import note from '../../../shared/design/note.module.css';
import { accountQuery } from '../../../shared/session/session.ts';
import type { KeyOptions } from './organization-keys-data.ts';
import { issue as text } from './text.ts';
import classes from '../keys.module.css';

interface Draft {
  readonly id: number;
  readonly scope: Scope;
  readonly permissions: readonly string[];
}

const emptyDraft = (id: number): Draft => ({
  id,
  scope: { kind: 'organization', ids: [] },
  permissions: [],
});

export function usePolicyDrafts(options: KeyOptions) {
  const [drafts, setDrafts] = useState<readonly Draft[]>([emptyDraft(0)]);
  const [opened, setOpened] = useState<number | undefined>(0);
  const [isTold, setTold] = useState(false);
  const termsFor = (draft: Draft): Terms => termsOf(options, { ...draft, isOwner: false });
  const unfinished = drafts.find((draft) => !isComplete(termsFor(draft)));
  return {
    drafts,
    opened,
    isTold,
    termsFor,
    canAdd: unfinished === undefined,
    open: setOpened,
    change: (changed: Draft) => {
      setDrafts(drafts.map((each) => (each.id === changed.id ? changed : each)));
    },
    add: () => {
      const id = Math.max(...drafts.map((each) => each.id)) + 1;
      setDrafts([...drafts, emptyDraft(id)]);
      setOpened(id);
      setTold(false);
    },
    remove: ({ id }: Draft) => {
      const left = drafts.filter((each) => each.id !== id);
      setDrafts(left);
      if (left.length === 1) setOpened(left[0]?.id);
    },
    /** Undefined while something is missing. It opens, and says what. */
    complete: (): readonly Terms[] | undefined => {
      setTold(true);
      if (unfinished) setOpened(unfinished.id);
      return unfinished ? undefined : drafts.map(termsFor);
    },
  };
}

interface PolicyDraftsProps {
  readonly options: KeyOptions;
  readonly drafts: ReturnType<typeof usePolicyDrafts>;
  /** What the service refused, by the way to it: `0.permissions`. */
  readonly problemAt: (path: string) => string | undefined;
}

export function PolicyDrafts({ options, drafts, problemAt }: PolicyDraftsProps) {
  return (
    <>
      {drafts.drafts.map((draft, index) =>
        draft.id === drafts.opened ? (
          <Opened key={draft.id} {...{ options, drafts, draft, index, problemAt }} />
        ) : (
          <Closed key={draft.id} {...{ options, drafts, draft, index }} />
        ),
      )}
      <Dangerous {...{ options, drafts }} />
      {drafts.canAdd && (
        <div className={classes['buttons']}>
          <Button isSecondary onClick={drafts.add}>
            {text.more}
          </Button>
        </div>
      )}
    </>
  );
}

interface OneProps extends Pick<PolicyDraftsProps, 'options' | 'drafts'> {
  readonly draft: Draft;
  readonly index: number;
}

function Opened(props: OneProps & Pick<PolicyDraftsProps, 'problemAt'>) {
  const { options, drafts, draft, index, problemAt } = props;
  const { data: account } = useSuspenseQuery(accountQuery);
  const { scope, permissions } = draft;
  const terms = drafts.termsFor(draft);
  const missingPlace =
    scope.kind !== 'organization' && scope.ids.length === 0 ? editor.none[scope.kind] : undefined;
  return (
    <div role="group" aria-label={text.open(index + 1)} className={classes['draft']}>
      <ScopeField
        page={options}
        scope={scope}
        problem={(drafts.isTold ? missingPlace : undefined) ?? problemAt(`${index}.resource_ids`)}
        onChange={(changed) => {
          drafts.change({ ...draft, scope: changed });
        }}
      />
      <PermissionsField
        {...{ account, scope }}
        page={options}
        chosen={permissions}
        problem={
          drafts.isTold && terms.permissions.length === 0
            ? editor.nonePicked
            : problemAt(`${index}.permissions`)
        }
        onChange={(changed) => {
          drafts.change({ ...draft, permissions: changed });
        }}
      />
      {isComplete(terms) && (
        <p className={classes['reads']}>
          {text.reads} <PolicySentence terms={terms} resources={options.resources} />
        </p>
      )}
      {drafts.drafts.length > 1 && <TakeOut {...{ drafts, draft }} />}
    </div>
  );
}

function Closed({ options, drafts, draft, index }: OneProps) {
  return (
    <div role="group" aria-label={text.open(index + 1)}>
      <p className={classes['sentence']}>
        <PolicySentence terms={drafts.termsFor(draft)} resources={options.resources} />
      </p>
      <div className={classes['buttons']}>
        <LinkButton
          onClick={() => {
            drafts.open(draft.id);
          }}
        >
          {text.change}
        </LinkButton>
        <TakeOut {...{ drafts, draft }} />
      </div>
    </div>
  );
}

function TakeOut({ drafts, draft }: Pick<OneProps, 'drafts' | 'draft'>) {
  return (
    <LinkButton
      onClick={() => {
        drafts.remove(draft);
      }}
    >
      {text.remove}
    </LinkButton>
  );
}

function Dangerous({ options, drafts }: Pick<PolicyDraftsProps, 'options' | 'drafts'>) {
  const chosen = new Set(drafts.drafts.flatMap((draft) => drafts.termsFor(draft).permissions));
  if (!options.permissions.some(({ key, dangerous }) => dangerous && chosen.has(key))) return null;
  return <p className={note['warning']}>{text.dangerous}</p>;
}
