/** What permissions let someone do, as a sentence, and each of them on demand. */
import { policySentence } from '../../../../src/domain/audit/policy-sentences.ts';
import { Badge } from '../design/marks/badge.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { permissionText } from '../text/permissions.ts';
import type { Resource, Terms } from './access-data.ts';
import classes from './access.module.css';
import { access as text } from './text.ts';

interface SentenceProps {
  readonly terms: Pick<Terms, 'scope_kind' | 'resource_ids' | 'permissions' | 'is_owner'>;
  /** The names of what the terms name. An unknown agent or team is shown by its id. */
  readonly resources: readonly Resource[];
}

export function PolicySentence({ terms, resources }: SentenceProps) {
  const { scope_kind: scopeKind, resource_ids: ids, permissions, is_owner: isOwner } = terms;
  const nameOf = (id: string) =>
    resources.find((each) => each.kind === scopeKind && each.id === id)?.name ?? id;
  const parts = policySentence({ scopeKind, scopeNames: ids.map(nameOf), permissions, isOwner });
  return parts.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <strong key={index} className={classes['name']}>
        <ForeignText text={part.name} isName />
      </strong>
    ),
  );
}

/** `dangerous`: keys of which others should be warned. */
export function EachPermission({
  permissions,
  dangerous,
}: {
  readonly permissions: readonly string[];
  readonly dangerous: ReadonlySet<string>;
}) {
  if (permissions.length === 0) return null;
  return (
    <details className={classes['each']}>
      <summary>
        {text.each(permissions.length)}
        {permissions.some((key) => dangerous.has(key)) && (
          <>
            {' '}
            <Badge tone="warn">{text.dangerous}</Badge>
          </>
        )}
      </summary>
      <ul>
        {permissions.map((key) => (
          <li key={key}>
            {permissionText(key)}
            {dangerous.has(key) && (
              <>
                {' '}
                <Badge tone="warn">{text.dangerous}</Badge>
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
