/** In which order a person's channels get a message, and when. */
import { useState } from 'react';
import {
  LONGEST_AFTER,
  MOST_STEPS,
  secondsAfter,
  firstOutOfOrder,
  firstRepeated,
  type StepUrgency,
} from '../../../../src/domain/notifications/steps.ts';
import { Button } from '../../shared/design/button.tsx';
import { FieldGroup } from '../../shared/design/fields/field-group.tsx';
import { Select } from '../../shared/design/fields/select.tsx';
import { TextBox } from '../../shared/design/fields/text-box.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import { Toggle } from '../../shared/design/toggle.tsx';
import { refusedFields, type FieldProblems } from '../../shared/forms/form-problems.ts';
import { steps as text } from './steps-text.ts';
import {
  useSettingChange,
  type NotificationSettings,
  type Step,
  type Steps,
} from './notifications-data.ts';
import classes from './notifications.module.css';

const CHANNELS = ['slack', 'email', 'push'] as const;

/** What a person begins with. */
const FIRST: readonly Step[] = [
  { channel: 'slack', after: '0' },
  { channel: 'email', after: '5m' },
  { channel: 'push', after: '10m' },
];

export function PersonalSteps({ settings }: { readonly settings: NotificationSettings }) {
  const [draft, setDraft] = useState<Steps>();
  const change = useSettingChange();
  const shown = draft ?? settings.steps;
  const found = { ...problemsIn(shown, 'standard'), ...problemsIn(shown, 'interrupt') };
  const problems = Object.keys(found).length > 0 ? found : refusedFields(change.error);
  const edit = (urgency: StepUrgency, list: readonly Step[] | undefined) => {
    change.reset();
    const { [urgency]: _before, ...others } = shown;
    setDraft(list === undefined ? others : { ...others, [urgency]: [...list] });
  };
  const save = () => {
    if (draft === undefined || Object.keys(found).length > 0) return;
    change.mutate(
      { steps: draft },
      {
        onSuccess: () => {
          setDraft(undefined);
        },
      },
    );
  };
  return (
    <Panel title={text.title} hint={text.hint}>
      {(['standard', 'interrupt'] as const).map((urgency) => (
        <StepList
          key={urgency}
          urgency={urgency}
          list={shown[urgency]}
          problems={problems}
          onChange={(list) => {
            edit(urgency, list);
          }}
        />
      ))}
      {draft !== undefined && (
        <div className={classes['actions']}>
          <Button onClick={save} aria-disabled={change.isPending}>
            {change.isPending ? text.saving : text.save}
          </Button>
          <Button
            isSecondary
            onClick={() => {
              setDraft(undefined);
            }}
          >
            {text.discard}
          </Button>
        </div>
      )}
      <Result text={change.isSuccess ? text.saved : ''} error={change.error} />
    </Panel>
  );
}

/** By the name that the service gives a field, too: `steps.standard.0.after`. */
function problemsIn(steps: Steps, urgency: StepUrgency): FieldProblems {
  const list = steps[urgency] ?? [];
  const wrong = list.flatMap(({ after }, index) =>
    secondsAfter(after) === undefined
      ? [[`steps.${urgency}.${index}.after`, text.noTime(LONGEST_AFTER)]]
      : [],
  );
  if (wrong.length > 0) return Object.fromEntries(wrong);
  const late = firstOutOfOrder(list);
  const index = late ?? firstRepeated(list);
  return index === undefined
    ? {}
    : { [`steps.${urgency}.${index}.after`]: late === undefined ? text.repeated : text.tooEarly };
}

interface ListProps {
  readonly urgency: StepUrgency;
  readonly list: readonly Step[] | undefined;
  readonly problems: FieldProblems;
  readonly onChange: (list: readonly Step[] | undefined) => void;
}

function StepList({ urgency, list, problems, onChange }: ListProps) {
  return (
    <FieldGroup label={text.urgencies[urgency]} className={classes['steps']}>
      <Toggle
        label={text.inOrder[urgency]}
        description={list ? text.oneAfterOther : text.allAtOnce}
        isOn={list !== undefined}
        onChange={(isOn) => {
          onChange(isOn ? FIRST : undefined);
        }}
      />
      {list?.map((step, index) => (
        <StepRow
          key={index}
          step={step}
          number={index + 1}
          problem={problems[`steps.${urgency}.${index}.after`]}
          onChange={(next) => {
            onChange(list.map((each, place) => (place === index ? next : each)));
          }}
          onRemove={
            list.length > 1
              ? () => {
                  onChange(list.filter((_each, place) => place !== index));
                }
              : undefined
          }
        />
      ))}
      {list && list.length < MOST_STEPS && (
        <div className={classes['actions']}>
          <Button
            isSecondary
            onClick={() => {
              onChange([...list, { channel: 'email', after: list.at(-1)?.after ?? '0' }]);
            }}
          >
            {text.add}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

interface RowProps {
  readonly step: Step;
  readonly number: number;
  readonly problem: string | undefined;
  readonly onChange: (step: Step) => void;
  /** Absent for the only one. */
  readonly onRemove: (() => void) | undefined;
}

function StepRow({ step, number, problem, onChange, onRemove }: RowProps) {
  return (
    <div className={classes['step']}>
      <Select
        label={text.channelOf(number)}
        options={CHANNELS.map((value) => ({ value, label: text.channels[value] }))}
        value={step.channel}
        onChange={(channel) => {
          onChange({ ...step, channel });
        }}
      />
      <TextBox
        label={text.afterOf(number)}
        value={step.after}
        problem={problem}
        placeholder="5m"
        onChange={(after) => {
          onChange({ ...step, after: after.trim() });
        }}
      />
      {onRemove && (
        <Button isSecondary aria-label={text.removeOf(number)} onClick={onRemove}>
          {text.remove}
        </Button>
      )}
    </div>
  );
}
