/** The fields of rules that ask another system. */
import type { Block } from '../../../../../src/domain/pipelines/types.ts';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { Checkbox } from '../../../shared/design/fields/checkbox.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextArea, TextBox } from '../../../shared/design/fields/text-box.tsx';
import { problemAt, type Problem } from '../../../shared/editor/problems.ts';
import { valueSource } from '../../../shared/conditions/value-texts.ts';
import { setMember, setOptionalText, setText } from '../document/rule-edits.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import { EndpointLink } from './endpoint-link.tsx';
import { namedOptions } from './path-select.tsx';
import classes from './rule-card.module.css';

interface FieldsProps<Type extends Block['type']> {
  readonly block: Extract<Block, { readonly type: Type }>;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

const ON_ERROR = ['human', 'deny'] as const;
const OUTCOMES = ['approve', 'deny', 'human', 'next'] as const;
const INPUTS = ['arguments', 'agent_reasoning', 'context'] as const;

export function RemoteFields({ block, ...props }: FieldsProps<'llm_judge' | 'webhook'>) {
  return block.type === 'webhook' ? (
    <WebhookFields block={block} {...props} />
  ) : (
    <JudgeFields block={block} {...props} />
  );
}

function WebhookFields({ block, pointer, problems }: FieldsProps<'webhook'>) {
  const { edit, endpoints, endpointsMissing, isReadOnly } = useEditing();
  const config = `${pointer}/config`;
  const { endpoint_key: key } = block.config;
  return (
    <>
      {endpointsMissing && <p className={classes['warning']}>{text.noSecretsKey}</p>}
      <div className={classes['pair']}>
        <Select
          label={text.endpoint}
          pointer={`${config}/endpoint_key`}
          problem={problemAt(problems, `${config}/endpoint_key`)}
          options={namedOptions(endpoints, { value: key, none: text.chooseEndpoint })}
          value={key}
          isDisabled={isReadOnly}
          onChange={(next) => {
            edit((all) => setText(all, `${config}/endpoint_key`, next));
          }}
        />
        <Select
          label={text.onError}
          options={ON_ERROR.map((value) => ({ value, label: text.onErrors[value] }))}
          value={block.config.on_error}
          isDisabled={isReadOnly}
          onChange={(next) => {
            edit((all) => setText(all, `${config}/on_error`, next));
          }}
        />
      </div>
      {!endpointsMissing && <EndpointLink endpointKey={key} />}
      <Attempts block={block} pointer={pointer} problems={problems} />
    </>
  );
}

function JudgeFields({ block, pointer, problems }: FieldsProps<'llm_judge'>) {
  const { edit, isReadOnly } = useEditing();
  const config = `${pointer}/config`;
  const { policy, model = '', min_confidence: least } = block.config;
  return (
    <>
      <TextArea
        label={text.policy}
        description={text.policyHint}
        value={policy}
        pointer={`${config}/policy`}
        problem={problemAt(problems, `${config}/policy`)}
        isReadOnly={isReadOnly}
        onChange={(next) => {
          edit((all) => setText(all, `${config}/policy`, next), `${config}/policy`);
        }}
      />
      <JudgeChoices block={block} pointer={pointer} problems={problems} />
      <div className={classes['pair']}>
        <TextBox
          label={text.confidence}
          description={text.confidenceHint}
          inputMode="decimal"
          value={typeof least === 'string' ? least : stringifyExact(least)}
          pointer={`${config}/min_confidence`}
          problem={problemAt(problems, `${config}/min_confidence`)}
          isReadOnly={isReadOnly}
          onChange={(next) => {
            const source = valueSource(next, 'number');
            edit((all) => setMember(all, `${config}/min_confidence`, source), config);
          }}
        />
        <TextBox
          label={text.model}
          description={text.modelHint}
          value={model}
          pointer={`${config}/model`}
          problem={problemAt(problems, `${config}/model`)}
          isReadOnly={isReadOnly}
          onChange={(next) => {
            edit((all) => setOptionalText(all, `${config}/model`, next), `${config}/model`);
          }}
        />
      </div>
      <Attempts block={block} pointer={pointer} problems={problems} />
    </>
  );
}

function JudgeChoices({ block, pointer }: FieldsProps<'llm_judge'>) {
  const { edit, isReadOnly } = useEditing();
  const { outcomes, include } = block.config;
  const toggle = (member: string, words: readonly string[], word: string) => () => {
    const next = words.includes(word) ? words.filter((each) => each !== word) : [...words, word];
    edit((all) => setMember(all, `${pointer}/config/${member}`, stringifyExact(next)));
  };
  return (
    <div className={classes['pair']}>
      <fieldset className={classes['boxes']}>
        <legend>{text.judgeOutcomes}</legend>
        {OUTCOMES.map((word) => (
          <Checkbox
            key={word}
            label={text.outcomes[word]}
            isChecked={outcomes.includes(word)}
            isDisabled={isReadOnly}
            onChange={toggle('outcomes', outcomes, word)}
          />
        ))}
      </fieldset>
      <fieldset className={classes['boxes']}>
        <legend>{text.include}</legend>
        {INPUTS.map((word) => (
          <Checkbox
            key={word}
            label={text.includes[word]}
            isChecked={include.includes(word)}
            isDisabled={isReadOnly}
            onChange={toggle('include', include, word)}
          />
        ))}
      </fieldset>
    </div>
  );
}

function Attempts({ block, pointer, problems }: FieldsProps<'llm_judge' | 'webhook'>) {
  const { edit, isReadOnly } = useEditing();
  // Absent in text that someone wrote: then the default counts.
  const { timeout = '', max_attempts: attempts = 1 } = block as Partial<typeof block>;
  return (
    <div className={classes['pair']}>
      <TextBox
        label={text.timeout}
        description={text.timeoutHint}
        value={timeout}
        pointer={`${pointer}/timeout`}
        problem={problemAt(problems, `${pointer}/timeout`)}
        isReadOnly={isReadOnly}
        onChange={(next) => {
          edit((all) => setOptionalText(all, `${pointer}/timeout`, next), `${pointer}/timeout`);
        }}
      />
      <Select
        label={text.attempts}
        options={['1', '2', '3', '4', '5'].map((value) => ({ value, label: value }))}
        value={stringifyExact(attempts)}
        isDisabled={isReadOnly}
        onChange={(next) => {
          edit((all) => setMember(all, `${pointer}/max_attempts`, next));
        }}
      />
    </div>
  );
}
