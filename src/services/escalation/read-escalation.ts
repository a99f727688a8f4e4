/** Reads the bodies of escalation paths and team policies into the texts to store. */
import type { Issue } from '../../domain/errors.ts';
import {
  parseEscalationPathDocument,
  parseNewEscalationPath,
  parseTeamPolicyDocument,
} from '../../domain/escalation/parse.ts';
import {
  locateLevels,
  type EscalationDocument,
  type Target,
} from '../../domain/escalation/types.ts';
import { takeReadBack, type Stated } from '../../domain/read-back.ts';
import { parseExact, stringifyExact } from '../../platform/json/exact-json.ts';
import { isExactObject } from '../../platform/json/exact-values.ts';
import { SPELLED, type DocumentReader, type ReadDocument } from '../read-documents.ts';

/** The targets of a document, and where it names them. */
export interface EscalationNames {
  /** In the order of the document. */
  readonly targets: readonly LocatedTarget[];
  /** Present where the body names the key of its path. */
  readonly pathKey?: string;
}

interface LocatedTarget {
  readonly target: Target;
  /** JSON pointer to its id. */
  readonly pointer: string;
}

type Read =
  | { readonly ok: false; readonly issues: readonly Issue[] }
  | { readonly ok: true; readonly document: EscalationDocument; readonly pathKey?: string };

function written(
  read: Read,
  stated: Stated,
): ReadDocument<EscalationNames> | { issues: readonly Issue[] } {
  if (!read.ok) return { issues: read.issues };
  const { pathKey } = read;
  const { comment, ...document } = read.document;
  const names = namesIn(document);
  return {
    ...{ comment, stated },
    text: stringifyExact(document),
    names: pathKey === undefined ? names : { ...names, pathKey },
  };
}

export function namesIn(document: EscalationDocument): EscalationNames {
  const targets = locateLevels(document).flatMap(({ level, pointer }) =>
    level.targets.map((target, index) => ({ target, pointer: `${pointer}/targets/${index}/id` })),
  );
  return { targets };
}

/** Ids of the members or teams that a document names, each once. */
export function idsOf({ targets }: EscalationNames, type: 'user' | 'team'): string[] {
  const ids = targets.flatMap(({ target }) => (target.type === type ? [target.id] : []));
  return [...new Set(ids)];
}

/** What bodies of an escalation path say about it. */
const VERSION = ['document_version'];

export const readEscalationPath: DocumentReader<EscalationNames> = (body) => {
  const { document, stated } = takeReadBack(parseExact(body, SPELLED), ['path_key', ...VERSION]);
  return written(parseEscalationPathDocument(document), stated);
};

/** The body that creates a path. */
export const readNewEscalationPath: DocumentReader<EscalationNames> = (body) => {
  const { document, stated } = takeReadBack(parseExact(body, SPELLED), VERSION);
  return written(parseNewEscalationPath(document), stated);
};

export const readTeamPolicy: DocumentReader<EscalationNames> = (body) => {
  const { document, stated } = takeReadBack(parseExact(body, SPELLED), ['team_id', ...VERSION]);
  return written(parseTeamPolicyDocument(document), stated);
};

/** A document, the body that creates a path, or a revision as read. */
export const readPreviewedPath: DocumentReader<EscalationNames> = (body) => {
  const { document, stated } = takeReadBack(parseExact(body, SPELLED), VERSION);
  return isExactObject(document) && document['path_key'] !== undefined
    ? written(parseNewEscalationPath(document), stated)
    : written(parseEscalationPathDocument(document), stated);
};
