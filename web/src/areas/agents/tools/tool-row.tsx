/** One tool: whether it is there, what it says of itself, and what its schema was before. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { CutText } from '../../../shared/exact/cut-text.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Loading, PartFailed } from '../../../shared/page/states.tsx';
import { StateMark, type StateTone } from '../../../shared/design/marks/badge.tsx';
import { tools as text } from '../text.ts';
import { MakeRule } from './make-rule.tsx';
import { schemasQuery, type Tool } from './tools-data.ts';
import classes from './tools.module.css';

const Schema = lazy(async () => {
  const { SchemaView } = await loadPart(() => import('./schema-view.tsx'));
  return { default: SchemaView };
});

type State = 'available' | 'unavailable' | 'stale';

const TONES: Readonly<Record<State, StateTone>> = {
  available: 'good',
  unavailable: 'danger',
  stale: 'warn',
};

function stateOf({ available, stale }: Pick<Tool, 'available' | 'stale'>): State {
  if (!available) return 'unavailable';
  return stale ? 'stale' : 'available';
}

export function ToolRow({ tool }: { readonly tool: Tool }) {
  const { name, display_name: title, description } = tool;
  const state = stateOf(tool);
  return (
    <li className={classes['tool']} data-faded={state !== 'available'}>
      <div className={classes['head']}>
        <h4 className={classes['name']}>
          <ForeignText text={name} isName />
        </h4>
        {title !== undefined && title !== name && <ForeignText text={title} isName />}
        <StateMark tone={TONES[state]}>{text.states[state]}</StateMark>
        <div className={classes['actions']}>
          <MakeRule tool={tool} />
          <Link to="/presentations" search={{ q: name }} aria-label={text.shownFor(name)}>
            {text.shown}
          </Link>
        </div>
      </div>
      {description !== undefined && (
        <p className={classes['soft']}>
          <CutText text={description} />
        </p>
      )}
      <Facts tool={tool} />
      <Schemas tool={tool} />
    </li>
  );
}

function Facts({ tool }: { readonly tool: Tool }) {
  const { annotations = {}, last_seen_at: seen, instance_name: instance } = tool;
  const claims = [
    ...(annotations.read_only_hint === true ? [text.claims.readOnly] : []),
    ...(annotations.destructive_hint === true ? [text.claims.destructive] : []),
    ...(annotations.open_world_hint === true ? [text.claims.openWorld] : []),
  ];
  return (
    <p className={classes['soft']}>
      {claims.length > 0 && `${text.says} ${claims.join(', ')} · `}
      {text.reported} <Instant at={seen} as="ago" focusable={false} /> {text.by}{' '}
      <ForeignText text={instance} isName />
    </p>
  );
}

function Schemas({
  tool: { id, hasSchema, schema_changed_at: changedAt },
}: {
  readonly tool: Tool;
}) {
  const [isOpen, setOpen] = useState(false);
  const schemas = useQuery({ ...schemasQuery(id, changedAt), enabled: isOpen });
  if (!hasSchema && changedAt === undefined)
    return <p className={classes['soft']}>{text.noSchema}</p>;
  return (
    <details
      className={classes['schema']}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary data-changed={changedAt !== undefined || undefined}>
        {changedAt === undefined ? (
          text.schema
        ) : (
          <>
            {text.changed} <Instant at={changedAt} as="ago" focusable={false} />
          </>
        )}
      </summary>
      {isOpen && schemas.isPending && <Loading />}
      {isOpen && schemas.isError && <PartFailed part={schemas} />}
      {isOpen && schemas.data && (
        <Suspense fallback={<Loading />}>
          <Schema schemas={schemas.data} isChanged={changedAt !== undefined} />
        </Suspense>
      )}
    </details>
  );
}
