/** Tests that must hold: what they are, whether they do, and a form for one more. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { Select } from '../../../shared/design/fields/select.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import type { Sample } from '../outcomes/trial.ts';
import { SampleChoice } from '../outcomes/try.tsx';
import type { Scope } from '../rules-data.ts';
import {
  EXPECTED,
  MOST_TESTS,
  nameOfTest,
  testOf,
  type Expected,
  type KeptTest,
} from './kept-tests.ts';
import { mustHold as text } from './text.ts';
import { doesFail, type MustHold } from './use-tests.ts';
import classes from './must-hold.module.css';

export function MustHoldTests({
  scope,
  tests,
}: {
  readonly scope: Scope;
  readonly tests: MustHold;
}) {
  return (
    <div className={classes['all']}>
      <p className={classes['hint']}>{tests.tests.length === 0 ? text.none : text.hint}</p>
      {tests.tests.length > 0 && (
        <ul aria-busy={tests.isUntold && !tests.error} className={classes['list']}>
          {tests.tests.map((test) => (
            <One key={test.key} test={test} tests={tests} />
          ))}
        </ul>
      )}
      <p role="status" className={classes['hint']}>
        {tests.error ? text.stopped : tests.isUntold && text.running}
      </p>
      {tests.tests.length < MOST_TESTS ? (
        <Adding scope={scope} tests={tests} />
      ) : (
        <p className={classes['hint']}>{text.full(MOST_TESTS)}</p>
      )}
    </div>
  );
}

function One({ test, tests }: { readonly test: KeptTest; readonly tests: MustHold }) {
  const result = tests.results?.get(test.key);
  const fails = doesFail(test, result);
  const name = nameOfTest(test);
  return (
    <li data-fails={fails || undefined} className={classes['one']}>
      <p>
        <strong>
          <ForeignText text={name} />
        </strong>{' '}
        {test.request !== undefined ? (
          <Link to="/requests/$id" params={{ id: test.request }} target="_blank">
            {text.request}
          </Link>
        ) : (
          <code className={classes['arguments']}>
            <ForeignText text={test.written?.arguments ?? ''} isSource />
          </code>
        )}
      </p>
      <p>
        <span className={classes['result']}>{saidOf(test, result)}</span>{' '}
        <LinkButton
          label={text.remove(name)}
          onClick={() => {
            tests.keep(tests.tests.filter(({ key }) => key !== test.key));
          }}
        >
          {text.removeShort}
        </LinkButton>
      </p>
    </li>
  );
}

function saidOf(test: KeptTest, result: Expected | 'gone' | 'refused' | 'system' | undefined) {
  if (result === undefined) return text.waiting;
  if (result === 'gone' || result === 'refused' || result === 'system') return text[result];
  return result === test.expected ? `✓ ${text.holds}` : `✕ ${text.fails(text.outcomes[result])}`;
}

function Adding({ scope, tests }: { readonly scope: Scope; readonly tests: MustHold }) {
  const [sample, setSample] = useState<Sample>();
  const [expected, setExpected] = useState<Expected>('deny');
  const [isFull, setFull] = useState(false);
  return (
    <div className={classes['all']}>
      <SampleChoice scope={scope} onSample={setSample} />
      <Select
        label={text.expected}
        options={EXPECTED.map((value) => ({ value, label: text.outcomes[value] }))}
        value={expected}
        onChange={setExpected}
      />
      <div>
        <Button
          isSecondary
          aria-disabled={sample === undefined}
          onClick={() => {
            if (sample) setFull(!tests.keep([...tests.tests, testOf(sample, expected)]));
          }}
        >
          {text.add}
        </Button>
      </div>
      {isFull && <p role="alert">{text.noRoom}</p>}
    </div>
  );
}
