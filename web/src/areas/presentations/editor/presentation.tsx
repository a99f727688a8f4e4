/** One presentation: a new one, which begins as the built-in one for its calls, one of the organization, or a built-in one. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { Base } from '../../../shared/editor/document-state.ts';
import { Failed, Loading, MissingPermission, NothingHere } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../../shared/session/session.ts';
import {
  entryText,
  presentationQuery,
  presentationsQuery,
  type Listed,
} from '../presentations-data.ts';
import { BUILT_IN, type PresentationsSearch } from '../presentations-search.ts';
import { PresentationPage } from './presentation-page.tsx';

const WRITE = 'organization.settings.write';

const FROM = '/signed-in/rules/presentations/$id';

/** `/presentations/new` and `/presentations/built-in` are no ids. */
export function Presentation() {
  const { id } = useParams({ from: FROM });
  if (id === 'new') return <NewPresentation />;
  return id === BUILT_IN ? <BuiltInPresentation /> : <OwnPresentation id={id} />;
}

/** The address names the tool and the server. */
function BuiltInPresentation() {
  const { tool = '', server } = useSearch({ from: FROM });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, 'agent.read') || hasPermission(account, WRITE);
  const known = useQuery({ ...presentationsQuery, enabled: mayRead });
  if (!mayRead) return <MissingPermission permission="agent.read" />;
  if (known.isPending) return <Loading />;
  if (!known.data) return <Failed error={known.error} reset={() => void known.refetch()} />;
  const entry = known.data.find(
    (each) => each.source === 'built_in' && each.tool === tool && each.server === server,
  );
  if (!entry) return <NothingHere />;
  const draft = `built-in:${JSON.stringify([tool, server])}`;
  const current = { revision: 0, text: entryText(entry) };
  return <PresentationPage key={draft} {...{ draft, current, account }} isBuiltIn />;
}

function OwnPresentation({ id }: { readonly id: string }) {
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayRead = hasPermission(account, 'agent.read') || hasPermission(account, WRITE);
  const read = useQuery({ ...presentationQuery(id), enabled: mayRead });
  if (!mayRead) return <MissingPermission permission="agent.read" />;
  // What was read stays while it is edited, also when someone deletes it meanwhile.
  if (read.isPending) return <Loading />;
  if (!read.data) return <Failed error={read.error} reset={() => void read.refetch()} />;
  return <PresentationPage key={id} {...{ id, account }} draft={id} current={read.data} />;
}

function NewPresentation() {
  const search = useSearch({ from: FROM });
  const { data: account } = useSuspenseQuery(accountQuery);
  const mayWrite = hasPermission(account, WRITE);
  const known = useQuery({ ...presentationsQuery, enabled: mayWrite });
  if (!mayWrite) return <MissingPermission permission={WRITE} />;
  if (known.isPending) return <Loading />;
  if (!known.data) return <Failed error={known.error} reset={() => void known.refetch()} />;
  const draft = `new:${JSON.stringify([search.tool, search.server])}`;
  return (
    <PresentationPage key={draft} {...{ draft, account }} current={startOf(search, known.data)} />
  );
}

function startOf({ tool = '', server }: PresentationsSearch, known: readonly Listed[]): Base {
  const same = known.filter((entry) => entry.tool === tool && entry.source === 'built_in');
  const model = same.find((entry) => entry.server === server) ?? same[0];
  const { title = '', fields = [] } = model ?? {};
  const text = entryText({ tool, ...(server !== undefined && { server }), title, fields });
  return { revision: 0, text };
}
