/** Which rules a request reached, what each did, and what its tests saw. */
import { lazy, Suspense } from 'react';
import type { ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { drawnBlock } from '../document/drawn-blocks.ts';
import { OutcomeChip } from '../cards/outcome-chip.tsx';
import { nameOf } from '../cards/rule-names.ts';
import { blockRows, ruleRows } from '../document/rule-rows.ts';
import { outcomes as text } from './text.ts';
import type { Trial } from './trial.ts';
import classes from './outcomes.module.css';

/** Patterns need code of their own. */
const Tests = lazy(async () => {
  const tests = await loadPart(() => import('./tests.tsx'));
  return { default: tests.Tests };
});

interface TrialStepsProps {
  readonly trial: Trial;
  /** JSON, as conditions see the request. */
  readonly facts: string;
  /** The same without hidden values. */
  readonly shown: string;
  readonly document: ExactValue;
}

export function TrialSteps({ trial, facts, shown, document }: TrialStepsProps) {
  const blocks = blockRows(ruleRows(document));
  return (
    <div className={classes['steps']} role="status">
      <p>
        <strong>{text.decided}:</strong> <OutcomeChip outcome={trial.outcome} />{' '}
        {trial.reason_code === 'end_of_pipeline' && text.endOfPipeline}
        {trial.escalation_path !== undefined && <Badge>{trial.escalation_path}</Badge>}
      </p>
      <ol>
        {trial.blocks.map((step, index) => {
          const row = blocks[step.position];
          const { value: block } = drawnBlock(row?.value);
          const when =
            block?.type === 'cel' || block?.type === 'branch' ? block.config.when : undefined;
          return (
            <li key={index} data-passed={step.outcome === 'next' || undefined}>
              <p>
                {step.position + 1}. <ForeignText text={nameOf(row?.value ?? null)} isName />:{' '}
                {said(step)}
              </p>
              {when && step.end_of_branch !== true && (
                <Suspense>
                  <Tests condition={when} facts={facts} shown={shown} />
                </Suspense>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function said(step: Trial['blocks'][number]): string {
  if (step.error_code !== undefined) return text.failedRule(step.error_code);
  return step.end_of_branch === true ? text.endOfBranch : text.result[step.outcome];
}
