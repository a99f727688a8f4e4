/** Where a policy holds: in the whole organization, or for some agents or teams. */
import { Chip } from '../design/marks/badge.tsx';
import { Combobox } from '../design/fields/combobox.tsx';
import { SegmentedControl } from '../design/fields/segmented-control.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import type { Grantable } from './access-data.ts';
import classes from './access.module.css';
import type { Scope, ScopeKind } from './granting.ts';
import { editor as text } from './text.ts';

interface ScopeFieldProps {
  readonly page: Grantable;
  readonly scope: Scope;
  readonly problem: string | undefined;
  readonly onChange: (scope: Scope) => void;
}

export function ScopeField({ page, scope, problem, onChange }: ScopeFieldProps) {
  const kinds: readonly ScopeKind[] = ['organization', 'agent', 'team'];
  const offered = kinds.filter((kind) =>
    page.permissions.some(({ scopes }) => scopes.includes(kind)),
  );
  return (
    <div className={classes['group']}>
      <h3>{text.scope}</h3>
      <SegmentedControl
        label={text.scope}
        options={offered.map((value) => ({ value, label: text.scopes[value] }))}
        value={scope.kind}
        onChange={(kind) => {
          onChange({ kind, ids: [] });
        }}
      />
      {scope.kind !== 'organization' && (
        <Named kind={scope.kind} {...{ page, scope, problem, onChange }} />
      )}
    </div>
  );
}

function Named({
  kind,
  page,
  scope: { ids },
  problem,
  onChange,
}: ScopeFieldProps & { readonly kind: 'agent' | 'team' }) {
  const all = page.resources.filter((each) => each.kind === kind);
  const nameOf = (id: string) => all.find((each) => each.id === id)?.name ?? id;
  return (
    <>
      {ids.length > 0 && (
        <ul className={classes['chips']}>
          {ids.map((id) => (
            <li key={id}>
              <Chip
                removeLabel={text.takeOut(nameOf(id))}
                onRemove={() => {
                  onChange({ kind, ids: ids.filter((each) => each !== id) });
                }}
              >
                <ForeignText text={nameOf(id)} isName />
              </Chip>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        label={text.add[kind]}
        description={page.resources_truncated ? text.truncated : text.addHint[kind]}
        problem={problem}
        options={all
          .filter(({ id }) => !ids.includes(id))
          .map(({ id, name }) => ({
            value: id,
            label: name,
            ...(kind === 'agent' && { code: id }),
          }))}
        value=""
        onChange={(id) => {
          onChange({ kind, ids: [...ids, id] });
        }}
      />
    </>
  );
}
