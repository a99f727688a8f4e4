/** Which rules lack a stored result, so that no one can tell what would have become of requests. */
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { nameOf } from '../cards/rule-names.ts';
import { blockRows, ruleRows } from '../document/rule-rows.ts';
import type { Scope } from '../rules-data.ts';
import type { SimulationSum } from './simulation-sum.ts';
import { outcomes as text } from './text.ts';
import classes from './outcomes.module.css';

interface UndeterminedProps {
  readonly simulation: SimulationSum;
  readonly scope: Scope;
  readonly document: ExactValue | undefined;
}

export function Undetermined({ simulation, scope, document }: UndeterminedProps) {
  const { undetermined, undetermined_at: blocks } = simulation;
  if (undetermined === 0) return null;
  const own = scope.agent === undefined ? 'organization' : 'agent';
  const values = document === undefined ? [] : blockRows(ruleRows(document));
  return (
    <section className={classes['group']} aria-label={text.undeterminedTitle(undetermined)}>
      <h3>{text.undeterminedTitle(undetermined)}</h3>
      <p className={classes['hint']}>{text.undeterminedWhy}</p>
      <ul>
        {blocks.map(({ scope: whose, block_id: id, count }) => {
          const row = values.find(({ value }) => isExactObject(value) && value['id'] === id);
          return (
            <li key={`${whose} ${id}`}>
              {text.undeterminedAt(count)}{' '}
              {whose === own ? (
                <ForeignText text={row ? nameOf(row.value) : id} isName />
              ) : (
                <>
                  <ForeignText text={id} isName />{' '}
                  <span className={classes['hint']}>
                    {whose === 'organization' ? text.ofOrganization : text.ofAgent}
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
