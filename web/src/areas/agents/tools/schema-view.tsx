/** The schema of a tool's arguments, and how it differs from the one before. */
import { useMemo } from 'react';
import { linesBetween } from '../../../shared/call/diff-lines.ts';
import { DiffLines } from '../../../shared/call/diff-view.tsx';
import { printedJson } from '../../../shared/editor/printed-json.ts';
import { TextBlock } from '../../../shared/exact/text-block.tsx';
import { tools as text } from '../text.ts';
import type { Schemas } from './tools-data.ts';
import classes from './tools.module.css';

interface SchemaViewProps {
  readonly schemas: Schemas;
  readonly isChanged: boolean;
}

export function SchemaView({ schemas: { now, before }, isChanged }: SchemaViewProps) {
  const lines = useMemo(
    () =>
      now === undefined || before === undefined
        ? undefined
        : linesBetween(printedJson(before), printedJson(now)),
    [now, before],
  );
  if (lines) return <DiffLines lines={lines} label={text.difference} />;
  return (
    <>
      {isChanged && <p className={classes['soft']}>{text.noDifference}</p>}
      {now === undefined ? (
        <p className={classes['soft']}>{text.noSchema}</p>
      ) : (
        <TextBlock text={printedJson(now)} mono />
      )}
    </>
  );
}
