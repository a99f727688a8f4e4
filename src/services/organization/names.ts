/** The names of ids. */
import type { MemberPrincipal } from '../../domain/people/authorization.ts';
import { NAMED_KINDS, type Name } from '../../domain/organization/names.ts';
import { findNames } from '../../data/organization/names.ts';
import type { ServiceContext } from '../context.ts';

/** In the order of the ids, each once. Ids that name nothing in the organization are left out. */
export async function listNames(
  { db }: ServiceContext,
  { organizationId }: MemberPrincipal,
  ids: readonly string[],
): Promise<readonly Name[]> {
  const wanted = [...new Set(ids)];
  const names = await findNames(db, organizationId, wanted);
  const place = ({ id, kind }: Name): number =>
    wanted.indexOf(id) * NAMED_KINDS.length + NAMED_KINDS.indexOf(kind);
  return names.sort((a, b) => place(a) - place(b));
}
