/** What a split asks of the request: as rows, as in rules, or as JSON. */
import { useMemo, useState } from 'react';
import { JsonText, parseExact } from '../../../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { ConditionEditor } from '../../../shared/conditions/condition-editor.tsx';
import { drawnCondition, type Drawn } from '../../../shared/conditions/drawn-condition.ts';
import { useKnownFields } from '../../../shared/conditions/known-fields.ts';
import { toolIn } from '../../../shared/conditions/tool-in.ts';
import type { Condition } from '../../../../../src/domain/conditions/document.ts';
import { TextArea } from '../../../shared/design/fields/text-box.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { setValue } from '../document/path-edits.ts';
import { usePathEditing } from './path-editing.ts';
import { editing as text } from './text.ts';
import classes from './editing.module.css';
import cards from '../cards/cards.module.css';

interface RequestConditionProps {
  /** Of the condition. */
  readonly pointer: string;
  /** JSON of what it asks. */
  readonly source: string;
}

export function RequestCondition({ pointer, source }: RequestConditionProps) {
  const value = useMemo(() => valueOf(source), [source]);
  const drawn = useMemo((): Drawn<Condition> => drawnCondition(value), [value]);
  const [isJson, setJson] = useState(false);
  return (
    <div className={classes['request']}>
      {drawn.value && !isJson ? (
        <Rows condition={drawn.value} tool={toolIn(value)} pointer={`${pointer}/when`} />
      ) : (
        <Json {...{ pointer, source }} reason={drawn.reason} />
      )}
      {drawn.value && (
        <LinkButton
          onClick={() => {
            setJson(!isJson);
          }}
        >
          {isJson ? text.done : text.changeAsJson}
        </LinkButton>
      )}
    </div>
  );
}

interface RowsProps {
  readonly condition: Condition;
  readonly tool: string | undefined;
  readonly pointer: string;
}

function Rows({ condition, tool, pointer }: RowsProps) {
  const { edit, problems } = usePathEditing();
  const known = useKnownFields({ tool });
  return <ConditionEditor {...{ condition, pointer, known, edit, problems }} isReadOnly={false} />;
}

/** What is typed counts as soon as it is JSON. */
function Json({
  pointer,
  source,
  reason,
}: RequestConditionProps & { readonly reason: string | undefined }) {
  const { edit } = usePathEditing();
  const [typed, setTyped] = useState(source);
  const isJson = valueOf(typed) !== undefined;
  return (
    <>
      {reason !== undefined && <p className={cards['hint']}>{reason}</p>}
      <TextArea
        label={text.conditionJson}
        description={text.conditionJsonHint}
        isMono
        value={typed}
        problem={isJson ? undefined : text.noJson}
        onChange={(next) => {
          setTyped(next);
          if (valueOf(next) !== undefined)
            edit(setValue(`${pointer}/when`, new JsonText(next)), pointer);
        }}
      />
    </>
  );
}

/** Undefined for what is no JSON. Numbers keep their spelling. */
function valueOf(source: string): ExactValue | undefined {
  try {
    return parseExact(source, { spelled: true });
  } catch {
    return undefined;
  }
}
