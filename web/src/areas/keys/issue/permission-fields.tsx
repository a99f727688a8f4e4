/** What a personal key may do of what its member may: everything, reading alone, or what they choose. */
import { useState } from 'react';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { FieldGroup } from '../../../shared/design/fields/field-group.tsx';
import { SegmentedControl } from '../../../shared/design/fields/segmented-control.tsx';
import note from '../../../shared/design/note.module.css';
import { permissionText } from '../../../shared/text/permissions.ts';
import type { BearablePermission } from '../keys-data.ts';
import { MayDo } from '../list/may-do.tsx';
import { issue as text } from '../text.ts';
import classes from '../keys.module.css';

type Choice = keyof typeof text.choices;

const CHOICES = Object.entries(text.choices).map(([value, label]) => ({
  value: value as Choice,
  label,
}));

const isReading = ({ key, dangerous }: BearablePermission): boolean =>
  key.endsWith('.read') && !dangerous;

const isSensitive = ({ key, dangerous }: BearablePermission): boolean =>
  dangerous || key === 'request.decide';

/** `isScoped`: whether keys can be narrowed here. */
export function usePermissionChoice(bearable: readonly BearablePermission[], isScoped: boolean) {
  const reading = bearable.filter(isReading);
  const [choice, setChoice] = useState<Choice>(reading.length > 0 ? 'read' : 'chosen');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const carried = carriedBy();
  function carriedBy(): readonly BearablePermission[] {
    if (!isScoped || choice === 'all') return bearable;
    return choice === 'read' ? reading : bearable.filter(({ key }) => chosen.includes(key));
  }
  return {
    bearable,
    isScoped,
    choice,
    setChoice,
    chosen,
    setChosen,
    carried,
    /** What is sent: undefined for everything. */
    permissions: isScoped && choice !== 'all' ? carried.map(({ key }) => key) : undefined,
  };
}

export function PermissionFields({
  choosing,
  problem,
}: {
  readonly choosing: ReturnType<typeof usePermissionChoice>;
  readonly problem?: string | undefined;
}) {
  const { isScoped, choice, setChoice, carried } = choosing;
  return (
    <FieldGroup label={text.may} problem={problem} className={classes['group']}>
      {isScoped && (
        <SegmentedControl label={text.may} options={CHOICES} value={choice} onChange={setChoice} />
      )}
      {!isScoped && <p>{text.open}</p>}
      {isScoped && choice === 'all' && <p>{text.all}</p>}
      {isScoped && choice === 'read' && (
        <MayDo permissions={carried.map(({ key }) => key)} everything={text.all} />
      )}
      {isScoped && choice === 'chosen' && <Boxes choosing={choosing} />}
      {isScoped && <p className={classes['soft']}>{text.where}</p>}
      {carried.some(isSensitive) && <p className={note['warning']}>{text.sensitive}</p>}
    </FieldGroup>
  );
}

function Boxes({
  choosing: { bearable, chosen, setChosen },
}: {
  readonly choosing: ReturnType<typeof usePermissionChoice>;
}) {
  const areas = [...new Set(bearable.map(({ area }) => area))];
  return (
    <>
      {areas.map((area) => (
        <fieldset key={area} className={classes['boxes']}>
          <legend>{area}</legend>
          {bearable
            .filter((each) => each.area === area)
            .map(({ key, dangerous }) => (
              <Checkbox
                key={key}
                label={`${permissionText(key)}${dangerous ? ` (${text.dangerous})` : ''}`}
                isChecked={chosen.includes(key)}
                onChange={(isChecked) => {
                  const others = chosen.filter((each) => each !== key);
                  setChosen(isChecked ? [...others, key] : others);
                }}
              />
            ))}
        </fieldset>
      ))}
      <p role="status">{text.chosen(chosen.length)}</p>
    </>
  );
}
