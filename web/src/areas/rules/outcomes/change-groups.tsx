/** Past requests that would have had another outcome, by what becomes of what. A row opens the request next to them. */
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { Instant } from '../../../shared/design/instant.tsx';
import { ExactNumber } from '../../../shared/exact/exact-number.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { amountText, groupsOf, type Change, type SimulationSum } from './simulation-sum.ts';
import { outcomes as text } from './text.ts';
import classes from './outcomes.module.css';

const PastRequest = lazy(async () => {
  const beside = await loadPart(() => import('./past-request.tsx'));
  return { default: beside.PastRequest };
});

interface ChangeGroupsProps {
  readonly simulation: SimulationSum;
  /** Of rules, by their ids, as far as they are known. */
  readonly names: ReadonlyMap<string, string>;
}

export function ChangeGroups({ simulation, names }: ChangeGroupsProps) {
  const [open, setOpen] = useState<Change>();
  return (
    <>
      {groupsOf(simulation).map(({ was, would_be: next, count, changes }) => (
        <section
          key={`${was} ${next}`}
          className={classes['group']}
          data-verdict={next}
          aria-label={text.group(text.verdicts[was], text.verdicts[next])}
        >
          <h3>
            {text.group(text.verdicts[was], text.verdicts[next])} · {count}
          </h3>
          {changes.length < count && (
            <p className={classes['hint']}>{text.listed(changes.length, count)}</p>
          )}
          <ul>
            {changes.map((change) => (
              <li key={change.id}>
                <Row
                  change={change}
                  rule={ruleOf(change, names)}
                  onOpen={() => {
                    setOpen(change);
                  }}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {open && (
        <Suspense>
          <PastRequest
            change={open}
            rule={ruleOf(open, names)}
            onClose={() => {
              setOpen(undefined);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

const ruleOf = ({ block_id: id }: Change, names: ReadonlyMap<string, string>) =>
  id === undefined ? undefined : (names.get(id) ?? id);

interface RowProps {
  readonly change: Change;
  /** The one that would decide. */
  readonly rule: string | undefined;
  readonly onOpen: () => void;
}

function Row({ change, rule, onOpen }: RowProps) {
  const { amount, title, excerpt, tool, created_at: at } = change;
  return (
    <button type="button" className={classes['row']} onClick={onOpen}>
      <span className={classes['call']}>
        <ForeignText text={title ?? tool} isName />
        {title === undefined && excerpt !== '' && (
          <span className={classes['hint']}>
            {' '}
            <ForeignText text={excerpt} />
          </span>
        )}
      </span>
      {amount && (
        <span className={classes['amount']}>
          <ExactNumber source={amountText(amount)} />
          {amount.currency !== undefined && (
            <>
              {' '}
              <ForeignText text={amount.currency} />
            </>
          )}
        </span>
      )}
      <span className={classes['hint']}>
        <Instant at={at} as="clock" focusable={false} /> ·{' '}
        {rule === undefined ? text.noRule : text.byRule}{' '}
        {rule !== undefined && <ForeignText text={rule} isName />}
      </span>
    </button>
  );
}
