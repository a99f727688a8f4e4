/** What became of a test message. */
import { useEffect, useRef } from 'react';
import note from '../../../shared/design/note.module.css';
import type { ChannelKind, ChannelTest } from '../channels-data.ts';
import { TroubleNote } from '../trouble-note.tsx';
import { test as text } from '../text.ts';
import { troubleOfTest } from '../trouble.ts';
import classes from './channels.module.css';

interface TestResultProps {
  readonly kind: ChannelKind;
  readonly result: ChannelTest;
}

/** It takes the focus, so that screen readers read all of it. */
export function TestResult({ kind, result }: TestResultProps) {
  const box = useRef<HTMLDivElement>(null);
  const { delivered, status_code: status, duration_ms: ms, response_excerpt: said } = result;
  useEffect(() => {
    box.current?.focus();
  }, [result]);
  const facts = [text.after(ms), ...(status === undefined ? [] : [text.status(status)])];
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="status"
      className={[delivered ? note['note'] : note['problem'], classes['test']].join(' ')}
    >
      <p>
        <strong>{delivered ? text.delivered : text.failed}</strong> {facts.join(', ')}.
      </p>
      {delivered ? (
        <p>{text.to[kind]}</p>
      ) : (
        <TroubleNote trouble={troubleOfTest(kind, result)} said={said} />
      )}
    </div>
  );
}
