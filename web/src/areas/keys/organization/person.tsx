/** Who made a key, and who it acts as. */
import { PersonName } from '../../../shared/access/person-name.tsx';
import type { Key } from '../keys-data.ts';
import { organization as text } from './text.ts';

export function Maker({ apiKey: { created_by: by } }: { readonly apiKey: Key }) {
  return by ? <PersonName id={by.membership_id} name={by.display_name} /> : text.someone;
}

export function Actor({ apiKey }: { readonly apiKey: Key }) {
  if (apiKey.kind === 'organization') return text.theOrganization;
  return (
    <>
      {apiKey.oauth_client && `${text.programOf} `}
      <Maker apiKey={apiKey} />
    </>
  );
}
