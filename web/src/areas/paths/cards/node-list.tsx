/** The walk of a path as cards on a line, from top to bottom. */
import { NodeProblems } from '../editing/node-problems.tsx';
import { lazy, memo, Suspense, useContext, type ReactNode } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import type { NodeView, SplitView } from '../document/read-path.ts';
import { paths as text } from '../text.ts';
import { useMayEdit } from '../editing/path-editing.ts';
import { editing } from '../editing/text.ts';
import { LookedContext } from './cards-context.ts';
import { ConditionText } from './condition-text.tsx';
import { DeferCard } from './defer-card.tsx';
import { LevelCard } from './level-card.tsx';
import { LockedCard } from './locked-card.tsx';
import classes from './cards.module.css';

// Only those who edit need their code.
const NodeActions = lazy(async () => {
  const { NodeActions: component } = await loadPart(() => import('../editing/node-actions.tsx'));
  return { default: component };
});
const Insert = lazy(async () => {
  const { Insert: component } = await loadPart(() => import('../editing/node-actions.tsx'));
  return { default: component };
});
const SplitFields = lazy(async () => {
  const { SplitFields: component } = await loadPart(() => import('../editing/split-fields.tsx'));
  return { default: component };
});

interface NodeListProps {
  readonly nodes: readonly NodeView[];
  /** Its pointer. */
  readonly list: string;
  readonly label: string;
}

export function NodeList({ nodes, list, label }: NodeListProps) {
  const hasProblems = (useMayEdit()?.problems.length ?? 0) > 0;
  return (
    <>
      <ol className={classes['nodes']} aria-label={label}>
        {nodes.map((node, index) => (
          <NodeItem key={node.id} id={node.id} pointer={node.pointer}>
            <Suspense>
              <Insert list={list} index={index} label={editing.insertAt(index + 1)} />
            </Suspense>
            <NodeCard node={node} number={index + 1} isLast={index === nodes.length - 1} />
            {hasProblems && <NodeProblems node={node} />}
          </NodeItem>
        ))}
      </ol>
      <Suspense>
        <Insert list={list} index={nodes.length} label={editing.insertAt(nodes.length + 1)} />
      </Suspense>
    </>
  );
}

interface NodeItemProps {
  readonly id: string;
  readonly pointer: string;
  readonly children: ReactNode;
}

/** Only this is drawn again when another node is looked at. */
function NodeItem({ id, pointer, children }: NodeItemProps) {
  const { active, onActive } = useContext(LookedContext);
  return (
    <li
      className={classes['node']}
      data-pointer={pointer}
      data-active={id === active}
      tabIndex={-1}
      onPointerEnter={() => {
        onActive(id);
      }}
      onPointerLeave={() => {
        onActive(undefined);
      }}
      onFocus={() => {
        onActive(id);
      }}
    >
      {children}
    </li>
  );
}

interface NodeCardProps {
  readonly node: NodeView;
  /** Its place in its list, from 1. */
  readonly number: number;
  readonly isLast: boolean;
}

const NodeCard = memo(function NodeCard({ node, number, isLast }: NodeCardProps) {
  const name = editing.step(number);
  const actions = (
    <Suspense>
      <NodeActions pointer={node.pointer} name={name} isFirst={number === 1} isLast={isLast} />
    </Suspense>
  );
  switch (node.type) {
    case 'level':
      return <LevelCard level={node}>{actions}</LevelCard>;
    case 'defer':
      return <DeferCard defer={node}>{actions}</DeferCard>;
    case 'if_else':
      return <SplitCard split={node}>{actions}</SplitCard>;
    case 'locked':
      return (
        <LockedCard source={node.source} why={text.lockedNode}>
          {actions}
        </LockedCard>
      );
  }
});

interface SplitCardProps {
  readonly split: SplitView;
  readonly children: ReactNode;
}

/** Two lanes, and the conditions that choose one. */
function SplitCard({ split, children }: SplitCardProps) {
  const isEdited = useMayEdit() !== undefined;
  return (
    <section className={classes['card']} data-kind="split">
      <p className={classes['title']}>
        {text.split}
        {children}
      </p>
      {isEdited ? (
        <Suspense>
          <SplitFields split={split} />
        </Suspense>
      ) : (
        <ul className={classes['conditions']}>
          {split.conditions.map((condition, index) => (
            <li key={condition.pointer}>
              {index > 0 && <span className={classes['hint']}>{text.and} </span>}
              <ConditionText condition={condition} />
            </li>
          ))}
        </ul>
      )}
      <div className={classes['lanes']}>
        <Lane label={text.lanes.then} list={`${split.pointer}/then`} nodes={split.then} />
        <Lane label={text.lanes.else} list={`${split.pointer}/else`} nodes={split.else} />
      </div>
    </section>
  );
}

interface LaneProps {
  readonly list: string;
  readonly label: string;
  readonly nodes: readonly NodeView[];
}

function Lane({ label, list, nodes }: LaneProps) {
  return (
    <div className={classes['lane']}>
      <p className={classes['laneName']}>{label}</p>
      {nodes.length === 0 && <p className={classes['hint']}>{text.goOnBelow}</p>}
      <NodeList nodes={nodes} list={list} label={label} />
    </div>
  );
}
