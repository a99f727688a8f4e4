/** The hook of coding agents, and rules to begin with. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { connect as text } from '../text.ts';
import classes from './connect.module.css';

interface CodingAgentProps {
  readonly slug: string;
  /** The commands. */
  readonly children: ReactNode;
}

export function CodingAgent({ slug, children }: CodingAgentProps) {
  return (
    <section className={classes['step']} aria-labelledby="coding-agent">
      <h3 id="coding-agent">{text.hookTitle}</h3>
      <p className={classes['soft']}>{text.hookHint}</p>
      {children}
      <StarterRulesLink slug={slug} />
    </section>
  );
}

export function StarterRulesLink({ slug }: Pick<CodingAgentProps, 'slug'>) {
  return (
    <p>
      <span className={classes['soft']}>{text.starterRulesHint}</span>{' '}
      <Link to="/agents/$slug/rules" params={{ slug }} search={{ start: 'coding-agent' }}>
        {text.starterRules}
      </Link>
    </p>
  );
}
