/** One rule: its sentence, or its fields while it is open. */
import { Link } from '@tanstack/react-router';
import { lazy, memo, Suspense, useMemo } from 'react';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import type { PipelineWarning } from '../../../../../src/domain/pipelines/warnings/types.ts';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Loading } from '../../../shared/page/states.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { problemsWithin, type Problem } from '../../../shared/editor/problems.ts';
import { drawnBlock } from '../document/drawn-blocks.ts';
import { innerBlocks, type BlockRow } from '../document/rule-rows.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import { CardActions } from './card-actions.tsx';
import { DragHandle } from './drag-handle.tsx';
import { nameOf } from './rule-names.ts';
import { RuleSentence } from './rule-sentence.tsx';
import { Share } from './share.tsx';
import type { Share as ShareOf } from './shares.ts';
import classes from './rule-card.module.css';

/** Its code is read when the first card is opened. */
const RuleEditor = lazy(async () => {
  const editor = await loadPart(() => import('./rule-editor.tsx'));
  return { default: editor.RuleEditor };
});

interface RuleCardProps {
  readonly row: BlockRow;
  /** The block as JSON: a card with the same text is not drawn again. */
  readonly source: string;
  readonly warnings: readonly PipelineWarning[];
  /** What a trial says about it. */
  readonly trial?: string | undefined;
  /** Of the requests of the last week. */
  readonly share?: ShareOf | undefined;
}

interface ClosedProps {
  readonly row: Pick<BlockRow, 'value'>;
  readonly source: string;
}

/** Only the text of the block counts for what a closed card shows. */
export function RuleCard(props: RuleCardProps) {
  const { row, warnings, trial, share } = props;
  const { open, problems, isReadOnly } = useEditing();
  const isOpen = open === row.pointer;
  const own = useMemo(() => problemsOfCard(problems, row.pointer), [problems, row.pointer]);
  const isOff = isExactObject(row.value) && row.value['enabled'] === false;
  return (
    <article
      className={classes['card']}
      data-open={isOpen || undefined}
      data-off={isOff || undefined}
      data-trial={trial}
      data-pointer={row.pointer}
      // Links to a rule lead here.
      tabIndex={-1}
      aria-label={`${text.number(row.position + 1)}: ${nameOf(row.value)}`}
    >
      <header className={classes['head']}>
        {!isReadOnly && <DragHandle row={row} />}
        <span className={classes['position']}>{row.position + 1}</span>
        <h2 className={classes['name']}>
          <ForeignText text={nameOf(row.value)} isName />
        </h2>
        {isOff && <Badge>{text.off}</Badge>}
        {own.length > 0 && <Badge tone="danger">{text.problems(own.length)}</Badge>}
        <CardActions row={row} isOpen={isOpen} isOff={isOff} />
      </header>
      {isOpen ? (
        <Suspense fallback={<Loading />}>
          <RuleEditor row={row} problems={own} />
        </Suspense>
      ) : (
        <Closed source={props.source} row={row} />
      )}
      {share && innerBlocks(row.value) === undefined && <Share share={share} />}
      {warnings.map(({ code, conditionId }) => (
        <p key={`${code} ${conditionId ?? ''}`} className={classes['warning']}>
          {text.note}: {text.warnings[code]}
          {code === 'webhook_endpoint_inactive' && <ToEndpoint block={row.value} />}
        </p>
      ))}
      {!isOpen &&
        own.map(({ pointer, message }) => (
          <p key={`${pointer} ${message}`} className={classes['problem']}>
            {message}
          </p>
        ))}
    </article>
  );
}

function ToEndpoint({ block }: { readonly block: ExactValue }) {
  const config = isExactObject(block) ? block['config'] : undefined;
  const key = isExactObject(config) ? config['endpoint_key'] : undefined;
  if (typeof key !== 'string') return null;
  return (
    <>
      {' '}
      <Link to="/endpoints/$endpointKey" params={{ endpointKey: key }}>
        {text.activateEndpoint}
      </Link>
    </>
  );
}

/** Those of its blocks stand at their own cards. */
const problemsOfCard = (problems: readonly Problem[], pointer: string): readonly Problem[] =>
  problemsWithin(problems, pointer).filter(
    (problem) => !/^\/config\/blocks\/\d/.test(problem.pointer.slice(pointer.length)),
  );

export const Closed = memo(
  function Closed({ row }: ClosedProps) {
    const { value: block, reason } = drawnBlock(row.value);
    if (block) return <RuleSentence block={block} />;
    return (
      <p className={classes['reason']}>
        {text.staysTitle} {reason}
      </p>
    );
  },
  (before, after) => before.source === after.source,
);

interface EndOfBranchProps {
  readonly block: ExactValue;
  readonly share?: ShareOf | undefined;
}

/** The row that closes a branch. */
export function EndOfBranch({ block, share }: EndOfBranchProps) {
  const config = isExactObject(block) ? block['config'] : undefined;
  const path = isExactObject(config) ? config['escalation_path'] : undefined;
  return (
    <div className={classes['end']}>
      <p>
        {text.nothingMatched} <span aria-hidden="true">→</span> {text.person},{' '}
        {typeof path === 'string' ? (
          <>
            {text.path} <bdi>{path}</bdi>
          </>
        ) : (
          text.defaultPath
        )}
      </p>
      {share && <Share share={share} />}
    </div>
  );
}

export function NotDrawn({ onJson }: { readonly onJson: () => void }) {
  return (
    <p className={classes['problem']}>
      {text.fixJson} <LinkButton onClick={onJson}>{text.openJson}</LinkButton>
    </p>
  );
}
