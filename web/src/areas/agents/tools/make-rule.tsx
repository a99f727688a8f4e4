/** Leads to the rules of the agent, with a draft made from its newest call of the tool, if there is one. */
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../../shared/api/api.ts';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { tools as text } from '../text.ts';
import type { Tool } from './tools-data.ts';
import classes from './tools.module.css';

/** Requests of a tool by any server: one of them may be of this one. */
const LOOKED_AT = 20;

async function newestCall({ agent_slug: slug, name, server }: Tool): Promise<string | undefined> {
  const query = { agent_slug: slug, tool: name, limit: LOOKED_AT, view: 'summary' as const };
  const { body } = await call('get', '/api/v1/requests', { params: { query } });
  return body.requests.find((request) => request.server === server)?.id;
}

export function MakeRule({ tool }: { readonly tool: Tool }) {
  const { agent_slug: slug, name } = tool;
  const { data: account } = useSuspenseQuery(accountQuery);
  const navigate = useNavigate();
  const may = (permission: string) => hasPermissionFor(account, permission, slug);
  const making = useMutation({
    mutationFn: async () => {
      const from = may('request.read') ? await newestCall(tool).catch(() => undefined) : undefined;
      await navigate({
        to: '/agents/$slug/rules',
        params: { slug },
        search: from === undefined ? {} : { from },
      });
    },
  });
  if (!may('pipeline.write') || !may('pipeline.read')) return null;
  return (
    <button
      type="button"
      className={classes['makeRule']}
      aria-label={text.makeRuleFor(name)}
      aria-busy={making.isPending}
      onClick={() => {
        if (!making.isPending) making.mutate();
      }}
    >
      {text.makeRule}
    </button>
  );
}
