/** Who asks, and where the access would go. All of it is foreign text. */
import note from '../../shared/design/note.module.css';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { exactText } from '../../shared/text/times.ts';
import type { Account } from '../../shared/session/session.ts';
import { consent as text } from './text.ts';
import type { Preview } from './consent-data.ts';
import classes from './consent.module.css';

export function ClientFacts({
  preview: { client, resource, max_expires_at: latest },
  account,
}: {
  readonly preview: Preview;
  readonly account: Account;
}) {
  const { user, organization } = account;
  return (
    <Facts>
      <Fact label={text.name}>
        <strong>
          <ForeignText text={client.name} isName />
        </strong>
        {client.resembles !== undefined && (
          <p className={note['warning']}>{text.resembles(client.resembles)}</p>
        )}
      </Fact>
      <Fact label={text.identity}>
        <Identity verifiedHost={client.verified_host} />
      </Fact>
      {client.client_uri !== undefined && (
        <Fact label={text.home}>
          <ForeignText text={client.client_uri} isName />
        </Fact>
      )}
      <Fact label={text.returnsTo}>
        <Destination uri={client.redirect_uri} />
      </Fact>
      <Fact label={text.actsAs}>
        <bdi>{user.display_name}</bdi> (<bdi>{user.email}</bdi>), <bdi>{organization.name}</bdi>
      </Fact>
      <Fact label={text.opens}>{resource === 'api' ? text.opensApi : text.opensMcp}</Fact>
      <Fact label={text.lasts}>
        {latest === undefined ? text.lastsText : text.lastsAtMost(exactText(latest))}
      </Fact>
    </Facts>
  );
}

/** A client with a checked address is who owns that address. */
function Identity({ verifiedHost }: { readonly verifiedHost: string | undefined }) {
  if (verifiedHost === undefined) return text.unverified;
  return (
    <>
      {text.verified} <Host text={verifiedHost} />
    </>
  );
}

function Destination({ uri }: { readonly uri: string }) {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return <Host text={host} />;
  const isHere = protocol === 'http:';
  return (
    <>
      {isHere ? text.thisComputer : text.appScheme} <Host text={isHere ? host : protocol} />
    </>
  );
}

/** In its encoded form, so that no letter passes for another. */
function Host({ text: host }: { readonly text: string }) {
  return (
    <strong className={classes['host']}>
      <ForeignText text={host} isName />
    </strong>
  );
}
