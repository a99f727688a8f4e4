/** The agent under which a machine becomes an instance. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from '../../shared/api/api.ts';
import { Form, SelectField, Submit, TextField, type FormProps } from '../../shared/forms/form.tsx';
import { accountQuery, hasPermission, hasPermissionFor } from '../../shared/session/session.ts';
import { slugOf } from '../../shared/text/slugs.ts';
import { enroll as text } from './enroll-text.ts';
import { agentsQuery, NEW_AGENT } from './enroll-data.ts';
import classes from './guide.module.css';

/** For a form whose fields have a prefix, as those of `AgentFields`. */
const takenName =
  (prefix: string) =>
  ({ code, message }: ApiError) => {
    if (code === 'agent_slug_taken') return { [`${prefix}slug`]: message };
    return code === 'agent_name_taken' ? { [`${prefix}name`]: message } : undefined;
  };

export function EnrollmentTarget({
  requested,
  ...form
}: Pick<FormProps, 'isBusy' | 'error' | 'onSubmit'> & { readonly requested: string | null }) {
  return (
    <Form {...form} fieldOf={takenName('create_agent.')}>
      {requested === null ? (
        <Choice />
      ) : (
        <>
          <p className={classes['soft']}>{text.fixed}</p>
          <input type="hidden" name="agent_slug" value={requested} />
        </>
      )}
      <Submit label={text.authorize} busy={text.authorizing} />
    </Form>
  );
}

/** Who may not list agents enters the slug of theirs. */
function Choice() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const canList = hasPermission(account, 'agent.read');
  const canCreate = hasPermissionFor(account, 'agent.write', undefined);
  const { data: agents } = useQuery({ ...agentsQuery, enabled: canList });
  const [chosen, setChosen] = useState<string>();
  const value = chosen ?? agents?.[0]?.slug ?? (canCreate && agents ? NEW_AGENT : '');
  if (!canList) return <TextField label={text.slugOfAgent} name="agent_slug" autoComplete="off" />;
  return (
    <>
      <SelectField
        label={text.agent}
        name="agent_slug"
        value={value}
        options={[
          ...(agents ?? []).map(({ slug, name }) => ({ value: slug, label: `${name} (${slug})` })),
          ...(canCreate ? [{ value: NEW_AGENT, label: text.createAgent }] : []),
        ]}
        onChange={setChosen}
      />
      {value === NEW_AGENT && <AgentFields prefix="create_agent." />}
    </>
  );
}

/** The slug follows the name until a person changes it. */
function AgentFields({ prefix }: { readonly prefix: string }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  return (
    <>
      <TextField
        label={text.agentName}
        name={`${prefix}name`}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
      <TextField
        label={text.agentSlug}
        description={text.slugHint}
        name={`${prefix}slug`}
        autoComplete="off"
        value={slug ?? slugOf(name)}
        onChange={setSlug}
      />
    </>
  );
}
