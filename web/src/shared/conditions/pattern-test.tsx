/** A line to try a pattern on. */
import { useEffect, useState } from 'react';
import { loadPart } from '../browser/new-build.ts';
import { TextBox } from '../design/fields/text-box.tsx';
import type { PatternResult } from './pattern-result.ts';
import { conditions as text } from './text.ts';
import classes from './conditions.module.css';

interface PatternTestProps {
  readonly pattern: string;
  /** What calls had there. */
  readonly example: string | undefined;
}

type Match = (pattern: string, tried: string) => PatternResult;

export function PatternTest({ pattern, example = '' }: PatternTestProps) {
  const [typed, setTyped] = useState<string>();
  const match = useMatch();
  const tried = typed ?? example;
  const result = pattern === '' ? undefined : match?.(pattern, tried);
  const isTold = result === 'badPattern' || tried !== '';
  return (
    <div className={classes['pattern']}>
      <TextBox label={text.tryPattern} isMono value={tried} onChange={setTyped} />
      <p role="status" data-result={result}>
        {result !== undefined && isTold && text[result]}
      </p>
    </div>
  );
}

function useMatch(): Match | undefined {
  const [match, setMatch] = useState<Match>();
  useEffect(() => {
    let isShown = true;
    void loadPart(() => import('./pattern-result.ts')).then(({ patternResult }) => {
      if (isShown) setMatch(() => patternResult);
    });
    return () => {
      isShown = false;
    };
  }, []);
  return match;
}
