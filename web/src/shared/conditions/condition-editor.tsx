/** A condition as rows and groups. */
import type { Condition } from '../../../../src/domain/conditions/document.ts';
import { LinkButton } from '../design/buttons/link-button.tsx';
import { Combobox } from '../design/fields/combobox.tsx';
import { SegmentedControl } from '../design/fields/segmented-control.tsx';
import { problemAt } from '../editor/problems.ts';
import {
  addPart,
  newTest,
  removePart,
  setField,
  setGroupKind,
  setItemsKind,
  wrapInGroup,
} from './condition-edits.ts';
import { fieldsIn, type FieldChoice } from './field-choices.ts';
import { ConditionContext, useCondition, type ConditionContextValue } from './condition-context.ts';
import { TestRow } from './test-row.tsx';
import { conditions as text } from './text.ts';
import type { Leaf } from './operators.ts';
import { optionOf } from './field-options.ts';
import classes from './conditions.module.css';

interface ConditionEditorProps extends ConditionContextValue {
  /** One that `drawnCondition` can draw. */
  readonly condition: Condition;
  /** Where it stands in the document. */
  readonly pointer: string;
}

export function ConditionEditor({ condition, pointer, ...context }: ConditionEditorProps) {
  return (
    <ConditionContext value={{ ...context, root: condition }}>
      <div className={classes['condition']} role="group" aria-label={text.condition}>
        <Part {...{ condition, pointer, level: 1, lists: [] }} isRoot />
      </div>
    </ConditionContext>
  );
}

interface PartProps {
  readonly condition: Condition;
  readonly pointer: string;
  readonly level: number;
  /** The lists whose items it is about, outermost first. */
  readonly lists: readonly string[];
  readonly isRoot?: boolean;
  readonly onRemove?: () => void;
}

function Part(props: PartProps) {
  const { condition } = props;
  if ('all' in condition) return <Group {...props} kind="all" parts={condition.all} />;
  if ('any' in condition) return <Group {...props} kind="any" parts={condition.any} />;
  if ('some' in condition) return <Items {...props} kind="some" items={condition.some} />;
  if ('every' in condition) return <Items {...props} kind="every" items={condition.every} />;
  return <Single {...props} test={condition} />;
}

function Single({
  test,
  pointer,
  lists,
  isRoot = false,
  onRemove,
}: PartProps & { readonly test: Leaf }) {
  const { edit, isReadOnly } = useCondition();
  return (
    <>
      <TestRow {...{ test, pointer, lists }} {...(onRemove && { onRemove })} />
      {isRoot && !isReadOnly && (
        <div className={classes['adding']}>
          <LinkButton
            onClick={() => {
              edit((all) => addPart(wrapInGroup(all, pointer, 'all'), `${pointer}/all`, newTest()));
            }}
          >
            {text.addTest}
          </LinkButton>
        </div>
      )}
    </>
  );
}

/** Deeper groups are hard to read. */
const MOST_LEVELS = 3;

interface GroupProps extends PartProps {
  readonly kind: 'all' | 'any';
  readonly parts: readonly Condition[];
}

function Group({ kind, parts, pointer, level, lists, onRemove, isRoot = false }: GroupProps) {
  const { edit, isReadOnly } = useCondition();
  const list = `${pointer}/${kind}`;
  return (
    <div className={classes['group']} data-root={isRoot || undefined}>
      <div className={classes['head']}>
        <SegmentedControl
          label={text.combine}
          options={[
            { value: 'all', label: text.all },
            { value: 'any', label: text.any },
          ]}
          value={kind}
          isDisabled={isReadOnly}
          onChange={(next) => {
            edit((all) => setGroupKind(all, pointer, next));
          }}
        />
        <span className={classes['hint']}>{kind === 'all' ? text.allOf : text.anyOf}</span>
        {onRemove && !isReadOnly && <LinkButton onClick={onRemove}>{text.removeGroup}</LinkButton>}
      </div>
      <div className={classes['parts']}>
        {parts.map((part, index) => (
          <Part
            key={part.id}
            condition={part}
            pointer={`${list}/${index}`}
            level={level + 1}
            lists={lists}
            {...(parts.length > 1 && {
              onRemove: () => {
                edit((all) => removePart(all, `${list}/${index}`));
              },
            })}
          />
        ))}
      </div>
      {!isReadOnly && <Adding {...{ kind, list, level, lists }} />}
    </div>
  );
}

interface AddingProps extends Pick<GroupProps, 'kind' | 'level' | 'lists'> {
  readonly list: string;
}

function Adding({ kind, list, level, lists }: AddingProps) {
  const { edit, known } = useCondition();
  const add = (part: object) => () => {
    edit((all) => addPart(all, list, part));
  };
  const field = lists.length > 0 ? '/item' : undefined;
  return (
    <div className={classes['adding']}>
      <LinkButton onClick={add(newTest(field))}>{text.addTest}</LinkButton>
      {level < MOST_LEVELS ? (
        <>
          <LinkButton
            onClick={add({ id: 'any', [kind === 'all' ? 'any' : 'all']: [newTest(field)] })}
          >
            {text.addGroup}
          </LinkButton>
          <LinkButton
            onClick={add({
              ...{ id: 'items' },
              some: {
                field:
                  fieldsIn(known.fields, lists).find(isKnownList)?.pointer ?? '/request/arguments',
                condition: newTest('/item'),
              },
            })}
          >
            {text.addItems}
          </LinkButton>
        </>
      ) : (
        <span className={classes['hint']}>{text.deep}</span>
      )}
    </div>
  );
}

interface ItemsProps extends PartProps {
  readonly kind: 'some' | 'every';
  readonly items: { readonly field: string; readonly condition: Condition };
}

const isKnownList = ({ types }: FieldChoice): boolean => types.includes('array');
const isList = ({ types }: FieldChoice): boolean => types.length === 0 || types.includes('array');

function Items({ kind, items, pointer, level, lists, onRemove }: ItemsProps) {
  const { edit, isReadOnly, known, problems } = useCondition();
  const at = `${pointer}/${kind}/field`;
  return (
    <div className={classes['group']}>
      <div className={classes['head']}>
        <SegmentedControl
          label={text.itemsKind}
          options={[
            { value: 'some', label: text.some },
            { value: 'every', label: text.every },
          ]}
          value={kind}
          isDisabled={isReadOnly}
          onChange={(next) => {
            edit((all) => setItemsKind(all, pointer, next));
          }}
        />
        <div className={classes['field']}>
          <Combobox
            label={text.list}
            isLabelHidden
            isOpen
            options={fieldsIn(known.fields, lists).filter(isList).map(optionOf)}
            value={items.field}
            pointer={at}
            problem={problemAt(problems, at)}
            isDisabled={isReadOnly}
            onChange={(field) => {
              edit((all) => setField(all, `${pointer}/${kind}`, field));
            }}
          />
        </div>
        <span className={classes['hint']}>{text.holds}</span>
        {onRemove && !isReadOnly && <LinkButton onClick={onRemove}>{text.removeGroup}</LinkButton>}
      </div>
      <div className={classes['parts']}>
        <Part
          condition={items.condition}
          pointer={`${pointer}/${kind}/condition`}
          level={level + 1}
          lists={[...lists, items.field]}
        />
      </div>
    </div>
  );
}
