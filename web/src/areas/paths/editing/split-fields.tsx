/** The conditions of a split, one a row. */
import { lazy, Suspense } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { Menu } from '../../../shared/design/menus/menu.tsx';
import { ConditionText } from '../cards/condition-text.tsx';
import { useCards } from '../cards/cards-context.ts';
import { addCondition, remove, setValue, type NewCondition } from '../document/path-edits.ts';
import type { ConditionView, SplitView } from '../document/read-path.ts';
import { problemAt, type Problem as Found } from '../../../shared/editor/problems.ts';
import { HoursSelect } from './hours-select.tsx';
import { editing as text } from './text.ts';
import { problemIn, usePathEditing } from './path-editing.ts';
import classes from './editing.module.css';
import cards from '../cards/cards.module.css';

// Its fields and values are much code.
const RequestCondition = lazy(async () => {
  const { RequestCondition: component } = await loadPart(() => import('./request-condition.tsx'));
  return { default: component };
});

export function SplitFields({ split: { pointer, conditions } }: { readonly split: SplitView }) {
  const { edit, problems } = usePathEditing();
  const { hours } = useCards();
  const kinds: readonly NewCondition[] = [
    ...(hours.length > 0 ? (['closed', 'open'] as const) : []),
    ...(['urgent', 'standard', 'request'] as const),
  ];
  return (
    <>
      <ul className={cards['conditions']} data-pointer={`${pointer}/conditions`} tabIndex={-1}>
        {conditions.map((condition) => (
          <li key={condition.pointer} data-pointer={condition.pointer}>
            <div className={classes['condition']}>
              <ConditionFields condition={condition} />
              <button
                type="button"
                className={classes['remove']}
                aria-label={text.removeCondition}
                onClick={() => {
                  edit(remove(condition.pointer));
                }}
              >
                ×
              </button>
            </div>
            <Problem text={problemOf(condition, problems)} />
          </li>
        ))}
      </ul>
      <Menu
        label={text.addCondition}
        entries={kinds.map((kind) => ({
          label: text.conditions[kind],
          onSelect: () => {
            edit(addCondition(pointer, kind, hours[0]?.id ?? ''));
          },
        }))}
      >
        {text.addCondition}
      </Menu>
    </>
  );
}

/** Rows say themselves what is wrong with a part of a condition about the request. */
const problemOf = ({ type, pointer }: ConditionView, problems: readonly Found[]) =>
  type === 'request'
    ? (problemAt(problems, pointer) ?? problemAt(problems, `${pointer}/when`))
    : problemIn(problems, pointer);

const Problem = ({ text: problem }: { readonly text: string | undefined }) =>
  problem === undefined ? null : <p className={cards['problem']}>{problem}</p>;

function ConditionFields({ condition }: { readonly condition: ConditionView }) {
  const { edit } = usePathEditing();
  const { pointer } = condition;
  switch (condition.type) {
    case 'working_hours':
      return (
        <>
          <InlineSelect
            label={text.insideOrOutside}
            options={[
              { value: 'true', label: text.inside },
              { value: 'false', label: text.outside },
            ]}
            value={String(condition.isOpen)}
            onChange={(value) => {
              edit(setValue(`${pointer}/active`, value === 'true'));
            }}
          />
          <HoursSelect pointer={`${pointer}/working_hours_id`} value={condition.hoursId} />
        </>
      );
    case 'urgency':
      return (
        <InlineSelect
          label={text.urgency}
          options={[
            { value: 'interrupt', label: text.conditions.urgent },
            { value: 'standard', label: text.conditions.standard },
          ]}
          value={condition.isUrgent ? 'interrupt' : 'standard'}
          onChange={(value) => {
            edit(setValue(`${pointer}/urgency`, value));
          }}
        />
      );
    case 'request':
      return (
        <Suspense>
          <RequestCondition pointer={pointer} source={condition.source} />
        </Suspense>
      );
    case 'locked':
      return <ConditionText condition={condition} />;
  }
}
