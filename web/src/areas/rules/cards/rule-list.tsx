/** The cards of all rules, the rows that close branches, and what happens to everything else. */
import { useLocation } from '@tanstack/react-router';
import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
} from 'react';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject } from '../../../../../src/platform/json/exact-values.ts';
import type { PipelineWarning } from '../../../../../src/domain/pipelines/warnings/types.ts';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { EditedDocument } from '../../../shared/editor/use-document.ts';
import { readPipeline, warningsOf } from '../document/pipeline-changes.ts';
import { decidesAll, ruleRows, type RuleRow } from '../document/rule-rows.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import { AddRule } from './add-rule.tsx';
import { PathSelect } from './path-select.tsx';
import { EndOfBranch, NotDrawn, RuleCard } from './rule-card.tsx';
import { nameOf } from './rule-names.ts';
import { useShares, type Share } from './shares.ts';
import classes from './rule-card.module.css';

const EmptyRules = lazy(async () => {
  const empty = await loadPart(() => import('./empty-rules.tsx'));
  return { default: empty.EmptyRules };
});

const OrganizationRules = lazy(async () => {
  const rules = await loadPart(() => import('./organization-rules.tsx'));
  return { default: rules.OrganizationRules };
});

interface RuleListProps {
  readonly document: EditedDocument;
  readonly onJson: () => void;
  /** By block id, what a trial says. */
  readonly trial?: ReadonlyMap<string, string>;
}

/** A long list is drawn as people come to it. */
const FIRST_ROWS = 60;
const NEXT_ROWS = 120;

const NO_WARNINGS: readonly PipelineWarning[] = [];

export function RuleList({ document: { read }, onJson, trial }: RuleListProps) {
  const { scope, paths, endpoints, isReadOnly, open } = useEditing();
  const shareOf = useShares(scope);
  const rows = useMemo(() => (read.value === undefined ? [] : ruleRows(read.value)), [read]);
  const warnings = useMemo(() => {
    const pipeline = readPipeline(read.value);
    const found = pipeline ? warningsOf(pipeline, { paths, endpoints }) : [];
    return Map.groupBy(found, ({ blockId }) => blockId ?? '');
  }, [read, paths, endpoints]);
  const opened = rows.findIndex((row) => row.kind === 'block' && row.pointer === open);
  const { shown, end } = useShownRows(rows, Math.max(opened, useNamedRow(rows)));
  if (read.problem) return <NotDrawn onJson={onJson} />;
  const path = isExactObject(read.value) ? read.value['default_escalation_path'] : undefined;
  return (
    <section className={classes['list']} aria-label={text.list}>
      {scope.agent !== undefined && (
        <Suspense>
          <OrganizationRules />
        </Suspense>
      )}
      {rows.length === 0 && (
        <Suspense>
          <EmptyRules />
        </Suspense>
      )}
      {shown.map((row) => (
        <Row
          key={`${row.kind} ${row.pointer}`}
          row={row}
          warnings={warnings.get(idOf(row)) ?? NO_WARNINGS}
          trial={trial?.get(idOf(row))}
          share={shareOf?.(idOf(row))}
        />
      ))}
      {shown.length < rows.length && <div ref={end} className={classes['more']} />}
      {!isReadOnly && <AddRule list="/blocks" />}
      <div className={classes['rest']}>
        <p>
          <strong>{text.everythingElse}</strong> <span aria-hidden="true">→</span> {text.person}
        </p>
        <PathSelect
          label={text.defaultPathLabel}
          pointer="/default_escalation_path"
          value={typeof path === 'string' ? path : undefined}
          none={text.noPath}
        />
        <p>{text.everythingElseHint}</p>
      </div>
    </section>
  );
}

interface RowProps {
  readonly row: RuleRow;
  readonly warnings: readonly PipelineWarning[];
  readonly trial: string | undefined;
  readonly share: Share | undefined;
}

function Row({ row, share, ...marks }: RowProps) {
  const { scope, isReadOnly } = useEditing();
  const style = { '--depth': row.depth - 1 } as CSSProperties;
  const isLast =
    scope.agent === undefined &&
    row.kind === 'block' &&
    row.list === '/blocks' &&
    decidesAll(row.value);
  return (
    <div className={classes[row.depth > 0 ? 'nested' : 'top']} style={style}>
      {row.kind === 'end' ? (
        <>
          {!isReadOnly && <AddRule list={`${row.pointer}/config/blocks`} isSmall />}
          <EndOfBranch block={row.value} share={share} />
        </>
      ) : (
        <RuleCard row={row} source={stringifyExact(row.value)} share={share} {...marks} />
      )}
      {isLast && (
        <p className={classes['warning']}>
          {text.note}: <ForeignText text={nameOf(row.value)} isName /> {text.decidesAll}
        </p>
      )}
    </div>
  );
}

const idOf = ({ value }: RuleRow): string => {
  const id = isExactObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id : '';
};

/** The rule that the address names after #, as links to a rule do. It gets the focus once. */
function useNamedRow(rows: readonly RuleRow[]): number {
  const id = useLocation({ select: ({ hash }) => hash });
  const at = rows.findIndex((row) => row.kind === 'block' && id !== '' && idOf(row) === id);
  const isThere = at >= 0;
  const show = useEffectEvent(() => {
    const pointer = CSS.escape(rows[at]?.pointer ?? '');
    const card = document.querySelector<HTMLElement>(`article[data-pointer="${pointer}"]`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'center' });
  });
  useEffect(() => {
    if (isThere) show();
  }, [id, isThere]);
  return at;
}

function useShownRows(rows: readonly RuleRow[], opened: number) {
  const [most, setMost] = useState(FIRST_ROWS);
  const end = useRef<HTMLDivElement>(null);
  const count = Math.max(most, opened + 10);
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setMost((before) => before + NEXT_ROWS);
      },
      { rootMargin: '800px' },
    );
    observer.observe(end.current);
    return () => {
      observer.disconnect();
    };
  }, [count, rows.length]);
  return { shown: rows.slice(0, count), end };
}
