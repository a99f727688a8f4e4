/** Code to copy, for each way in which agents run. */
import { useState } from 'react';
import { Code } from '../../../shared/page/code.tsx';
import type { SecretText } from '../../../shared/secrets/shown-once.tsx';
import { connect as text } from '../text.ts';
import { StarterRulesLink } from './coding-agent.tsx';
import { RUNTIMES, snippetOf, type Runtime } from './snippets.ts';
import classes from './connect.module.css';

/** Where people reach this page, machines reach the service. */
const url = (): string => location.origin;

export function Snippets({ slug, secret, shown }: SecretText & { readonly slug: string }) {
  const [runtime, setRuntime] = useState<Runtime>('curl');
  const code = snippetOf[runtime];
  return (
    <section className={classes['step']} aria-labelledby="snippets">
      <h3 id="snippets">{text.snippetsTitle}</h3>
      <fieldset className={classes['runtimes']}>
        <legend className="visually-hidden">{text.runtime}</legend>
        {RUNTIMES.map((each) => (
          <label key={each} className={classes['runtime']}>
            <input
              type="radio"
              name="runtime"
              checked={each === runtime}
              onChange={() => {
                setRuntime(each);
              }}
            />
            {text.runtimes[each]}
          </label>
        ))}
      </fieldset>
      <p className={classes['soft']}>{text.runtimeHints[runtime]}</p>
      <Code
        label={text.runtimes[runtime]}
        shown={code({ url: url(), token: shown })}
        value={code({ url: url(), token: secret })}
      />
      {runtime === 'hook' && <StarterRulesLink slug={slug} />}
    </section>
  );
}

/** For the platform that starts replicas. */
export function ReplicaSnippet({ secret, shown }: SecretText) {
  return (
    <section className={classes['step']} aria-labelledby="snippets">
      <h3 id="snippets">{text.replicaTitle}</h3>
      <p className={classes['soft']}>{text.replicaHint}</p>
      <Code
        label={text.replicaTitle}
        shown={snippetOf.replica({ url: url(), token: shown })}
        value={snippetOf.replica({ url: url(), token: secret })}
      />
    </section>
  );
}
