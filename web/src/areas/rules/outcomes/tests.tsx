/** The tests of a condition with the values that a request has. */
import { useMemo } from 'react';
import type { Condition } from '../../../../../src/domain/conditions/document.ts';
import { conditionText } from '../../../../../src/domain/conditions/sentences.ts';
import type { ConditionFacts } from '../../../../../src/domain/conditions/types.ts';
import { parseExact } from '../../../../../src/platform/json/exact-json.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { seenTests } from './seen-tests.ts';
import { outcomes as text } from './text.ts';
import classes from './outcomes.module.css';

const factsOf = (text: string): ConditionFacts =>
  parseExact(text, { spelled: true }) as unknown as ConditionFacts;

interface TestsProps {
  readonly condition: Condition;
  readonly facts: string;
  /** The same without hidden values. */
  readonly shown: string;
}

export function Tests({ condition, facts, shown }: TestsProps) {
  const tests = useMemo(
    () => seenTests(condition, { facts: factsOf(facts), shown: factsOf(shown) }),
    [condition, facts, shown],
  );
  return (
    <ul className={classes['tests']}>
      {tests.map(({ test, value, holds }) => (
        <li key={test.id} data-holds={holds}>
          <span aria-hidden="true">{holds ? '✓' : '✕'}</span>{' '}
          <ForeignText text={conditionText(test)} />
          <span className={classes['hint']}>
            {' '}
            ({text.itIs} <ForeignText text={value ?? text.absent} />)
          </span>
          <span className="visually-hidden">{holds ? text.holds : text.holdsNot}</span>
        </li>
      ))}
    </ul>
  );
}
