/** The permissions of a policy, by area, in words. What the person cannot grant is disabled and says why. */
import { Checkbox } from '../design/fields/checkbox.tsx';
import { FieldGroup } from '../design/fields/field-group.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import type { Account } from '../session/session.ts';
import { permissionText } from '../text/permissions.ts';
import type { Grantable, Resource } from './access-data.ts';
import classes from './access.module.css';
import { areasOf, lacking, type Scope } from './granting.ts';
import { access, editor as text } from './text.ts';

interface PermissionsFieldProps {
  readonly page: Grantable;
  readonly account: Account;
  readonly scope: Scope;
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

export function PermissionsField(props: PermissionsFieldProps) {
  const { page, account, scope, chosen, problem, onChange } = props;
  return (
    <FieldGroup label={<h3>{text.permissions}</h3>} problem={problem} className={classes['rights']}>
      {areasOf(page, scope.kind).map(([area, permissions]) => (
        <fieldset key={area} className={classes['area']}>
          <legend>{area}</legend>
          {permissions.map(({ key, dangerous }) => {
            const missing = lacking(account, key, scope);
            const isChosen = chosen.includes(key);
            return (
              <Checkbox
                key={key}
                label={`${permissionText(key)}${dangerous ? ` (${access.dangerous})` : ''}`}
                {...(missing && {
                  description: <Lacking ids={missing} resources={page.resources} />,
                })}
                isChecked={isChosen}
                isDisabled={missing !== undefined && !isChosen}
                onChange={(isChecked) => {
                  onChange(isChecked ? [...chosen, key] : chosen.filter((each) => each !== key));
                }}
              />
            );
          })}
        </fieldset>
      ))}
      {scope.kind !== 'organization' && <p className={classes['source']}>{text.elsewhere}</p>}
    </FieldGroup>
  );
}

function Lacking({
  ids,
  resources,
}: {
  readonly ids: readonly string[];
  readonly resources: readonly Resource[];
}) {
  if (ids.length === 0) return text.notHeld;
  return (
    <>
      {text.notHeldFor}{' '}
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <ForeignText text={resources.find((each) => each.id === id)?.name ?? id} isName />
        </span>
      ))}
      .
    </>
  );
}
