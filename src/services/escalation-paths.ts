/** Escalation paths: revisions of who is asked, in which order. */
import type { EscalationPathDocument, Target } from '../domain/escalation-paths.ts';
import { parseEscalationPathDocument, pathTargets } from '../domain/escalation-paths.ts';
import { escalationPathTables } from '../data/escalation-paths.ts';
import { findRevisionById } from '../data/revisions.ts';
import { parseExact } from '../platform/exact-json.ts';
import type { ServiceContext } from './context.ts';
import { revisionCache } from './revisions.ts';

export { resolveActivePath } from '../data/escalation-paths.ts';

/** A revision as a request that was routed to it needs it. `targets`: everybody it names anywhere, each once. */
export interface LoadedEscalationPath {
  readonly id: string;
  readonly pathKey: string;
  readonly revision: number;
  readonly name: string;
  readonly document: EscalationPathDocument;
  readonly targets: readonly Target[];
}

/** The revision a request is pinned to. Throws when there is none of that id: a request's row always names an existing one. */
export const loadEscalationPathRevision = revisionCache<LoadedEscalationPath>(async (context: ServiceContext, revisionId) => {
  const revision = await findRevisionById(context.db, revisionId, escalationPathTables);
  const parsed = revision && parseEscalationPathDocument(parseExact(revision.document));
  if (!revision || !parsed?.ok) throw new Error(`escalation path revision ${revisionId} is missing or unreadable`);
  const { document } = parsed;
  return {
    value: {
      id: revision.id,
      pathKey: revision.documentKey,
      revision: revision.revision,
      name: document.name,
      document,
      targets: pathTargets(document),
    },
    size: revision.document.length,
  };
});
