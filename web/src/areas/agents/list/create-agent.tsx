/** Creates an agent, then leads to its connection. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import type { ApiError } from '../../../shared/api/api.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { slugOf } from '../../../shared/text/slugs.ts';
import { createAgent } from '../agents-data.ts';
import { isQuota, QuotaNote } from '../quota-note.tsx';
import { create as text } from '../text.ts';
import classes from './agents.module.css';

const takenField = ({ code, message }: ApiError) => {
  if (code === 'agent_slug_taken') return { slug: message };
  return code === 'agent_name_taken' ? { name: message } : undefined;
};

export function CreateAgent({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const create = useMutation({
    mutationFn: createAgent,
    onSuccess: async ({ slug: created }) => {
      await queries.invalidateQueries({ queryKey: ['agents', 'list'] });
      await navigate({ to: '/agents/$slug/connect', params: { slug: created } });
    },
  });
  return (
    <Modal labelledBy={id} isWide onClose={onClose}>
      <h2 id={id}>{text.title}</h2>
      <Form
        isBusy={create.isPending}
        error={isQuota(create.error) ? null : create.error}
        fieldOf={takenField}
        onSubmit={(fields) => {
          create.mutate({
            slug: (fields['slug'] ?? '').trim(),
            name: (fields['name'] ?? '').trim(),
          });
        }}
      >
        {isQuota(create.error) && <QuotaNote error={create.error} />}
        <TextField
          label={text.name}
          name="name"
          autoComplete="off"
          autoFocus
          value={name}
          onChange={setName}
        />
        <TextField
          label={text.slug}
          description={text.slugHint}
          name="slug"
          autoComplete="off"
          value={slug ?? slugOf(name)}
          onChange={setSlug}
        />
        <div className={classes['buttons']}>
          <Submit label={text.submit} busy={text.busy} />
          <Button isSecondary onClick={onClose}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
