/** The fields of a rule, in place of its sentence; or its JSON. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextArea, TextBox } from '../../../shared/design/fields/text-box.tsx';
import { SegmentedControl } from '../../../shared/design/fields/segmented-control.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { JsonField } from '../../../shared/editor/json-field.tsx';
import { printedJson } from '../../../shared/editor/printed-json.ts';
import { problemAt, readDocument, type Problem } from '../../../shared/editor/problems.ts';
import { withValue } from '../../../shared/editor/splices.ts';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import type { Condition } from '../../../../../src/domain/conditions/document.ts';
import type { Block } from '../../../../../src/domain/pipelines/types.ts';
import { ConditionEditor } from '../../../shared/conditions/condition-editor.tsx';
import { useKnownFields } from '../../../shared/conditions/known-fields.ts';
import { drawnBlock } from '../document/drawn-blocks.ts';
import { canBeBranch, groupsAround, makeBranch } from '../document/make-branch.ts';
import { setOptionalText, setText, withoutPath } from '../document/rule-edits.ts';
import type { BlockRow } from '../document/rule-rows.ts';
import { toolOf } from '../document/tool-of.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import { PathSelect } from './path-select.tsx';
import classes from './rule-card.module.css';

/** Few rules ask another system. */
const RemoteFields = lazy(async () => {
  const fields = await loadPart(() => import('./remote-fields.tsx'));
  return { default: fields.RemoteFields };
});

interface RuleEditorProps {
  readonly row: BlockRow;
  readonly problems: readonly Problem[];
}

export function RuleEditor({ row, problems }: RuleEditorProps) {
  const { value: block, reason } = drawnBlock(row.value);
  const [view, setView] = useState<'builder' | 'json'>('builder');
  return (
    <div className={classes['fields']}>
      <SegmentedControl
        label={text.cardView}
        options={[
          { value: 'builder', label: text.builder },
          { value: 'json', label: text.json },
        ]}
        value={block ? view : 'json'}
        onChange={setView}
      />
      {!block && (
        <p className={classes['warning']}>
          {text.staysTitle} {reason}
        </p>
      )}
      {block && view === 'builder' ? (
        <BlockFields block={block} pointer={row.pointer} problems={problems} />
      ) : (
        <BlockJson row={row} problems={problems} />
      )}
    </div>
  );
}

/** What is typed is part of the document as soon as it is JSON. */
function BlockJson({ row, problems }: RuleEditorProps) {
  const { edit, isReadOnly } = useEditing();
  const [typed, setTyped] = useState<string>();
  const current = printedJson(stringifyExact(row.value));
  const { problem } = readDocument(typed ?? current);
  return (
    <>
      {problem && <p className={classes['problem']}>{problem.message}</p>}
      <JsonField
        label={text.json}
        text={typed ?? current}
        isReadOnly={isReadOnly}
        problems={
          problem
            ? [problem]
            : problems.map((each) => ({ ...each, pointer: each.pointer.slice(row.pointer.length) }))
        }
        onChange={(next) => {
          setTyped(next);
          if (!readDocument(next).problem)
            edit((all) => withValue(all, row.pointer, next.trim()), row.pointer);
        }}
      />
    </>
  );
}

const OUTCOMES = ['approve', 'deny', 'human', 'next'] as const;

interface BlockFieldsProps {
  readonly block: Block;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

function BlockFields({ block, pointer, problems }: BlockFieldsProps) {
  const { edit, isReadOnly } = useEditing();
  const config = `${pointer}/config`;
  const isSimple = block.type === 'cel' || block.type === 'always';
  return (
    <>
      <TextBox
        label={text.name}
        value={block.name}
        pointer={`${pointer}/name`}
        problem={problemAt(problems, `${pointer}/name`)}
        isReadOnly={isReadOnly}
        onChange={(name) => {
          edit((all) => setText(all, `${pointer}/name`, name), `${pointer}/name`);
        }}
      />
      {(block.type === 'cel' || block.type === 'branch') && (
        <When condition={block.config.when} pointer={pointer} />
      )}
      <DeepNote block={block} pointer={pointer} />
      {(block.type === 'webhook' || block.type === 'llm_judge') && (
        <Suspense>
          <RemoteFields block={block} pointer={pointer} problems={problems} />
        </Suspense>
      )}
      <Then block={block} pointer={pointer} />
      <TextArea
        label={text.reason}
        description={text.reasonHint}
        rows={2}
        value={block.config.reason ?? ''}
        pointer={`${config}/reason`}
        problem={problemAt(problems, `${config}/reason`)}
        isReadOnly={isReadOnly}
        onChange={(reason) => {
          const set = isSimple || block.type === 'branch' ? setText : setOptionalText;
          edit((all) => set(all, `${config}/reason`, reason), `${config}/reason`);
        }}
      />
    </>
  );
}

/** So many groups around a test are hard to follow. */
const DEEP = 3;

function DeepNote({ block, pointer }: Omit<BlockFieldsProps, 'problems'>) {
  const { edit, isReadOnly, setOpen } = useEditing();
  const value = block as unknown as ExactValue;
  if (isReadOnly || block.type !== 'cel' || !canBeBranch(value)) return null;
  if (groupsAround(block.config.when as unknown as ExactValue) < DEEP) return null;
  return (
    <p className={classes['warning']}>
      {text.makeBranchHint}{' '}
      <LinkButton
        onClick={() => {
          edit((all) => makeBranch(all, pointer));
          setOpen(`${pointer}/config/blocks/0`);
        }}
      >
        {text.makeBranch}
      </LinkButton>
    </p>
  );
}

function When({ condition, pointer }: { readonly condition: Condition; readonly pointer: string }) {
  const { scope, document, edit, isReadOnly, problems } = useEditing();
  const tool = useMemo(() => toolOf(document, pointer), [document, pointer]);
  const known = useKnownFields({ agent: scope.agent, tool });
  return (
    <ConditionEditor
      {...{ condition, known, edit, isReadOnly, problems }}
      pointer={`${pointer}/config/when`}
    />
  );
}

/** What it does, and who is asked. */
function Then({ block, pointer }: Omit<BlockFieldsProps, 'problems'>) {
  const { edit, isReadOnly } = useEditing();
  const config = `${pointer}/config`;
  const isSimple = block.type === 'cel' || block.type === 'always';
  const outcome = block.type === 'cel' ? block.config.on_match : 'human';
  const decided = block.type === 'always' ? block.config.outcome : outcome;
  return (
    <div className={classes['pair']}>
      {isSimple && (
        <Select
          label={text.outcome}
          options={OUTCOMES.filter((each) => block.type === 'cel' || each !== 'next').map(
            (value) => ({ value, label: text.outcomes[value] }),
          )}
          value={decided}
          isDisabled={isReadOnly}
          onChange={(value) => {
            const member = block.type === 'cel' ? 'on_match' : 'outcome';
            edit((all) => {
              const changed = setText(all, `${config}/${member}`, value);
              // Only a person is found by a path.
              return value === 'human' ? changed : withoutPath(changed, config);
            });
          }}
        />
      )}
      {(!isSimple || decided === 'human') && (
        <PathSelect
          label={text.escalationPath}
          pointer={`${config}/escalation_path`}
          value={block.config.escalation_path}
          none={text.pipelineDefault}
        />
      )}
    </div>
  );
}
