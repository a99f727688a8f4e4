/** One request: who asks for what, and the answer. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { v4 } from 'uuid';
import { call } from '../../shell/api.ts';
import { Failed, Loading } from '../../shell/states.tsx';
import { requests as text } from '../../text/requests.ts';
import { requestQuery, type RequestDetail } from './requests-data.ts';
import classes from './request.module.css';

export function Request() {
  const { id } = useParams({ from: '/signed-in/requests/$id' });
  const { data, error, isPending } = useQuery(requestQuery(id));
  if (isPending) return <Loading />;
  if (error) return <Failed error={error} />;
  return (
    <article className={classes['request']}>
      <Link to="/">{text.back}</Link>
      <h1>
        {text.agentAsks(data.agent_name)} <bdi className={classes['tool']}>{data.tool}</bdi>
      </h1>
      <h2>{text.arguments}</h2>
      <pre className={classes['arguments']}>{data.arguments.text}</pre>
      {data.status === 'pending' ? (
        <Decide key={data.id} request={data} />
      ) : (
        <p className={classes['outcome']}>{text.decided[data.status]}</p>
      )}
    </article>
  );
}

type Intent = 'approved' | 'denied';

function Decide({ request }: { readonly request: RequestDetail }) {
  const queries = useQueryClient();
  const [intent, setIntent] = useState<Intent>();
  const decide = useMutation({
    mutationFn: async (status: Intent) =>
      await call('post', '/api/v1/requests/{id}/decision', {
        params: { path: { id: request.id }, header: { 'Idempotency-Key': v4() } },
        body: { status },
      }),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['requests'] });
    },
  });
  if (!intent)
    return (
      <div className={classes['actions']}>
        <Button
          onClick={() => {
            setIntent('approved');
          }}
        >
          {text.approve}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            setIntent('denied');
          }}
        >
          {text.deny}
        </Button>
      </div>
    );
  return (
    <div className={classes['actions']} role="group">
      <Button
        loading={decide.isPending}
        onClick={() => {
          decide.mutate(intent);
        }}
      >
        {intent === 'approved' ? text.confirmApprove(request.tool) : text.confirmDeny(request.tool)}
      </Button>
      <Button
        variant="default"
        onClick={() => {
          setIntent(undefined);
        }}
      >
        {text.cancel}
      </Button>
    </div>
  );
}
