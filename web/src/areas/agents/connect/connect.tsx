/** Connects an agent: where it runs, its credential, and its first call. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { MissingPermission } from '../../../shared/page/states.tsx';
import { useMay } from '../agent/may.ts';
import { agentQuery } from '../agents-data.ts';
import { connect as text } from '../text.ts';
import { Fleet, Server, ThisMachine } from './ways.tsx';
import classes from './connect.module.css';

const NEEDED = 'agent.credential.issue';

const WAYS = { machine: ThisMachine, server: Server, fleet: Fleet } as const;
type Way = keyof typeof WAYS;

export function Connect() {
  const { slug } = useParams({ from: '/signed-in/agents/$slug' });
  const mayConnect = useMay(NEEDED);
  const [way, setWay] = useState<Way>();
  const { data: agent } = useSuspenseQuery(agentQuery(slug));
  if (agent.demo)
    return (
      <p>
        {text.onlyDemo} <Link to="/demo">{text.toDemo}</Link>
      </p>
    );
  if (!mayConnect) return <MissingPermission permission={NEEDED} />;
  const Chosen = way === undefined ? undefined : WAYS[way];
  return (
    <div className={classes['connect']}>
      <h2>{text.title}</h2>
      <fieldset className={classes['ways']}>
        <legend>{text.where}</legend>
        {(Object.keys(WAYS) as readonly Way[]).map((each) => (
          <label key={each} className={classes['way']}>
            <input
              type="radio"
              name="way"
              checked={each === way}
              onChange={() => {
                setWay(each);
              }}
            />
            <span>
              <strong>{text.ways[each].title}</strong>
              <span className={classes['soft']}>{text.ways[each].hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {Chosen && <Chosen key={way} slug={slug} />}
    </div>
  );
}
