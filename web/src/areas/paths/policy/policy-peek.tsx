/** Below the chip of a team: how its policy asks the members, in small. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useMemo } from 'react';
import { readDocument } from '../../../shared/editor/problems.ts';
import { PartFailed } from '../../../shared/page/states.tsx';
import { CardsContext } from '../cards/cards-context.ts';
import { HoursName } from '../cards/hours-state.tsx';
import { TargetName } from '../cards/target-chip.tsx';
import { readPath, type HoursView, type NodeView } from '../document/read-path.ts';
import { waitText } from '../document/wait-text.ts';
import { nameKey, useNames, type Names } from '../targets-data.ts';
import { paths } from '../text.ts';
import { policyQuery } from './policy-data.ts';
import { policy as text } from './text.ts';
import classes from './policy-peek.module.css';

export function PolicyPeek({ teamId }: { readonly teamId: string }) {
  const policy = useQuery(policyQuery(teamId));
  const source = policy.data?.active?.text;
  const path = useMemo(() => {
    const read = source === undefined ? undefined : readDocument(source).source;
    return read && readPath(read);
  }, [source]);
  const names = useNames(path);
  const cards = useMemo(
    () => ({ names, hours: path?.hours ?? [], warnings: [], isPolicy: true }),
    [names, path],
  );
  if (policy.isPending) return null;
  if (policy.isError) return <PartFailed part={policy} />;
  return (
    <CardsContext value={cards}>
      <div className={classes['peek']}>
        {path ? (
          <Steps nodes={path.nodes} hours={path.hours} names={names} />
        ) : (
          <p>{text.allAtOnce}</p>
        )}
        <Link to="/teams/$teamId/policy" params={{ teamId }}>
          {path ? text.open : text.write}
        </Link>
      </div>
    </CardsContext>
  );
}

interface StepsProps {
  readonly nodes: readonly NodeView[];
  readonly hours: readonly HoursView[];
  readonly names: Names;
}

function Steps({ nodes, ...more }: StepsProps) {
  return (
    <ol className={classes['steps']}>
      {nodes.map((node) => (
        <li key={node.id}>
          <Step node={node} {...more} />
        </li>
      ))}
    </ol>
  );
}

function Step({ node, hours, names }: Omit<StepsProps, 'nodes'> & { readonly node: NodeView }) {
  switch (node.type) {
    case 'level':
      return (
        <>
          {text.ask}{' '}
          {node.targets.map((target, index) => (
            <Fragment key={target.pointer}>
              {index > 0 && ', '}
              <TargetName target={target} named={names.get(nameKey(target))} />
            </Fragment>
          ))}
          {text.wait(waitText(node.wait))}
        </>
      );
    case 'defer':
      return (
        <>
          {text.waitFor}{' '}
          <HoursName hours={hours.find(({ id }) => id === node.hoursId)} id={node.hoursId} />
        </>
      );
    case 'if_else':
      return (
        <>
          {text.split}
          {(['then', 'else'] as const).map(
            (lane) =>
              node[lane].length > 0 && (
                <div key={lane}>
                  {paths.lanes[lane]}: <Steps nodes={node[lane]} hours={hours} names={names} />
                </div>
              ),
          )}
        </>
      );
    case 'locked':
      return text.locked;
  }
}
