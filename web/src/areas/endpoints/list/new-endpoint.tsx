/** Creates an endpoint, shows its signing secret once, then leads to its page. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ApiError } from '../../../shared/api/api.ts';
import { Modal } from '../../../shared/design/dialogs/modal.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { Form, Submit, TextField } from '../../../shared/forms/form.tsx';
import { refusedFields } from '../../../shared/forms/form-problems.ts';
import { useIssuedSecret } from '../../../shared/secrets/issued-secret.ts';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { slugOf } from '../../../shared/text/slugs.ts';
import { createEndpoint, readEndpointsAgain, TAKEN } from '../endpoints-data.ts';
import { isEgressRefusal } from '../egress.ts';
import { secretFile } from '../secret/secret-file.ts';
import { create as text } from '../text.ts';
import classes from './new-endpoint.module.css';

/** What a page with a new endpoint keeps: the secret outlives the dialog. */
export function useNewEndpoint() {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { issuing, secret, forget } = useIssuedSecret(createEndpoint);
  const created = issuing.data;
  const isStored = created !== undefined && secret === undefined;
  useEffect(() => {
    // Once the secret is gone from the page, which asks before it is left. Where someone else was faster there is none.
    if (isStored)
      void navigate({
        to: '/endpoints/$endpointKey',
        params: { endpointKey: created.endpoint_key },
      });
  }, [isStored, created, navigate]);
  return {
    ...{ issuing, secret, created, isOpen },
    open: () => {
      setOpen(true);
    },
    close: () => {
      issuing.reset();
      setOpen(false);
    },
    submit: (given: Parameters<typeof createEndpoint>[0]) => {
      issuing.mutate(given, {
        onSuccess: () => {
          setOpen(false);
          void readEndpointsAgain(queries);
        },
      });
    },
    forget,
  };
}

export function NewEndpoint({ creating }: { creating: ReturnType<typeof useNewEndpoint> }) {
  const { secret, created, isOpen, forget } = creating;
  if (secret !== undefined && created)
    return (
      <Panel title={text.created} hint={text.next}>
        <ShownOnce
          title={text.secretOf(created.name)}
          secret={secret}
          file={secretFile(secret)}
          ifLost={text.ifLost}
          onStored={forget}
        />
      </Panel>
    );
  return isOpen ? <NewEndpointDialog creating={creating} /> : null;
}

function fieldOf(error: ApiError) {
  if (error.code === TAKEN) return { endpoint_key: text.taken };
  const { 'path.endpoint_key': key, ...refused } = refusedFields(error);
  const url = refused['url'];
  return {
    ...refused,
    ...(key !== undefined && { endpoint_key: key }),
    ...(url !== undefined && isEgressRefusal(error) && { url: `${url} ${text.egress}` }),
  };
}

function NewEndpointDialog({ creating }: { creating: ReturnType<typeof useNewEndpoint> }) {
  const id = useId();
  const { issuing, submit, close } = creating;
  const [name, setName] = useState('');
  const [typedKey, setKey] = useState<string>();
  const key = typedKey ?? slugOf(name);
  const { error } = issuing;
  const taken = error instanceof ApiError && error.code === TAKEN ? key : undefined;
  return (
    <Modal labelledBy={id} isWide onClose={close}>
      <h2 id={id}>{text.title}</h2>
      <Form
        isBusy={issuing.isPending}
        error={error}
        fieldOf={fieldOf}
        onSubmit={({ url = '' }) => {
          submit({ endpointKey: key.trim(), name: name.trim(), url: url.trim() });
        }}
      >
        <TextField
          label={text.name}
          name="name"
          autoComplete="off"
          autoFocus
          value={name}
          onChange={setName}
        />
        <TextField
          label={text.key}
          description={text.keyHint}
          name="endpoint_key"
          autoComplete="off"
          value={key}
          onChange={setKey}
        />
        {taken !== undefined && (
          <p>
            <Link to="/endpoints/$endpointKey" params={{ endpointKey: taken }}>
              {text.openTaken}
            </Link>
          </p>
        )}
        <TextField label={text.url} description={text.urlHint} name="url" autoComplete="off" />
        <div className={classes['buttons']}>
          <Submit label={text.submit} busy={text.busy} />
          <Button isSecondary onClick={close}>
            {text.cancel}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
