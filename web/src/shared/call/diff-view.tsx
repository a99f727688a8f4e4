/** A change, line by line. Signs say what is new and what goes, not colors alone. */
import { useMemo, useState } from 'react';
import { ForeignText } from '../exact/foreign-text.tsx';
import type { SourceValue } from '../../../../src/platform/json/source-values.ts';
import { JsonView } from '../exact/json-view.tsx';
import { requests as text } from '../text/requests.ts';
import { linesBetween, linesOfUnified, type DiffLine } from './diff-lines.ts';
import type { CallField } from './presented-call.ts';
import classes from './diff-view.module.css';

const FIRST_LINES = 200;
/** Every line has one, so that the rest of a wrapped line cannot look like a further line. */
const SIGNS = { same: '·', added: '+', removed: '-', header: '@' } as const;

export function DiffView({
  field,
  value,
  whole,
}: Pick<CallField, 'field' | 'value'> & { readonly whole: SourceValue }) {
  const lines = useMemo(() => linesOf({ field, value, whole }), [field, value, whole]);
  if (!lines) return <JsonView value={value} label={field.label} />;
  return <DiffLines lines={lines} label={field.label} />;
}

interface DiffLinesProps {
  readonly lines: readonly DiffLine[];
  readonly label: string;
}

export function DiffLines({ lines, label }: DiffLinesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
  return (
    <div className={classes['diff']} role="group" aria-label={label} translate="no">
      {shown.map((line, index) => (
        <div key={index} className={classes['line']} data-kind={line.kind}>
          <span className={classes['sign']}>{SIGNS[line.kind]}</span>
          <span className={classes['words']}>
            <ForeignText text={line.text} />
          </span>
        </div>
      ))}
      {shown.length < lines.length && (
        <button
          type="button"
          className={classes['more']}
          onClick={() => {
            setWhole(true);
          }}
        >
          {text.allLines(lines.length)}
        </button>
      )}
    </div>
  );
}

function linesOf({
  field,
  value,
  whole,
}: Pick<CallField, 'field' | 'value'> & { readonly whole: SourceValue }): DiffLine[] | undefined {
  const before = field.before === undefined ? undefined : whole.at(field.before);
  const after = field.after === undefined ? undefined : whole.at(field.after);
  if (before?.kind === 'string' && after?.kind === 'string')
    return linesBetween(before.characters, after.characters);
  if (after?.kind === 'string')
    return after.characters.split('\n').map((line) => ({ kind: 'added', text: line }));
  return value.kind === 'string' ? linesOfUnified(value.characters) : undefined;
}
