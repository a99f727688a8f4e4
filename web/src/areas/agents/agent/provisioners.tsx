/** The provisioner tokens of an agent. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { once } from '../../../shared/api/lists.ts';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { Item, Items } from '../../../shared/design/lists/items.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { PagedList } from '../../../shared/page/list/paged-list.tsx';
import { provisionersQuery, type AgentDetail, type Provisioner } from '../agents-data.ts';
import { provisionerState } from '../states.ts';
import { agent as text } from '../text.ts';
import { useRevokeProvisioner } from './changes.ts';
import { EndOf } from './end-of.tsx';
import { useMay } from './may.ts';
import { TwoPresses } from './two-presses.tsx';

export function Provisioners({ agent }: { readonly agent: AgentDetail }) {
  const { slug, provisioners, provisioner_count: all } = agent;
  const [isWhole, setWhole] = useState(false);
  const list = useInfiniteQuery({ ...provisionersQuery(slug), enabled: isWhole });
  if (all === 0) return null;
  const more = all - provisioners.length;
  return (
    <Panel title={text.tokens} hint={text.tokensHint}>
      {isWhole ? (
        <PagedList list={list} rowsOf={(page) => page.provisioners} none={null}>
          {(rows) => <Rows provisioners={once(rows)} />}
        </PagedList>
      ) : (
        <Rows provisioners={provisioners} />
      )}
      {more > 0 && !isWhole && (
        <div>
          <LinkButton
            onClick={() => {
              setWhole(true);
            }}
          >
            {text.moreTokens(more)}
          </LinkButton>
        </div>
      )}
    </Panel>
  );
}

function Rows({ provisioners }: { readonly provisioners: readonly Provisioner[] }) {
  return (
    <Items>
      {provisioners.map((provisioner) => (
        <Row key={provisioner.id} provisioner={provisioner} />
      ))}
    </Items>
  );
}

function Row({ provisioner }: { readonly provisioner: Provisioner }) {
  const { id, suffix, issued_at: issued, last_used_at: used, expires_at: end } = provisioner;
  const mayRevoke = useMay('agent.credential.revoke');
  const revoke = useRevokeProvisioner();
  const state = provisionerState(provisioner, useNowSeconds() * 1_000);
  const canRevoke = state === 'works' && mayRevoke;
  return (
    <Item
      name={<code>whp_…{suffix}</code>}
      actions={
        canRevoke && (
          <TwoPresses
            label={text.revoke}
            again={text.revokeAgain}
            isBusy={revoke.isPending}
            onConfirm={() => {
              revoke.mutate(id);
            }}
          />
        )
      }
    >
      <p>
        {text.tokenStates[state]}
        {state === 'works' && (
          <>
            {' · '}
            <EndOf at={end} label={text.ends} />
          </>
        )}
      </p>
      <p>
        {text.issued} <Instant at={issued} as="ago" /> ·{' '}
        {used === undefined ? text.tokenUnused : text.tokenUsed}{' '}
        {used !== undefined && <Instant at={used} as="ago" />}
      </p>
      {revoke.isError && <p role="alert">{revoke.error.message}</p>}
    </Item>
  );
}
