/** What changes, as sentences. */
import type { PipelineDiff } from '../../../../../src/domain/pipelines/diff.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { countOf } from '../document/pipeline-changes.ts';
import { outcomes as text } from './text.ts';
import classes from './outcomes.module.css';

/** `diff`: undefined where a part of the rules cannot be drawn. */
export function ChangeList({ diff }: { readonly diff: PipelineDiff | undefined }) {
  if (!diff) return <p className={classes['hint']}>{text.notDrawn}</p>;
  if (countOf(diff) === 0) return <p className={classes['hint']}>{text.none}</p>;
  const { default_escalation_path: path } = diff;
  return (
    <ul className={classes['changes']}>
      {diff.added.map(({ block_id: id, name, sentence }) => (
        <li key={`added ${id}`}>
          <Badge tone="good">{text.added}</Badge> <Sentence name={name} sentence={sentence} />
        </li>
      ))}
      {diff.changed.map(({ block_id: id, sentence_before: before, sentence_after: after }) => (
        <li key={`changed ${id}`}>
          <Badge tone="warn">{text.changed}</Badge>{' '}
          {before === after ? (
            <>
              <Sentence name={id} sentence={after} />{' '}
              <span className={classes['hint']}>{text.otherMembers}</span>
            </>
          ) : (
            <>
              <del>
                <ForeignText text={before} />
              </del>
              <br />
              <ins>
                <ForeignText text={after} />
              </ins>
            </>
          )}
        </li>
      ))}
      {diff.moved.map(({ block_id: id }) => (
        <li key={`moved ${id}`}>
          <Badge>{text.moved}</Badge> <ForeignText text={id} isName />
        </li>
      ))}
      {diff.removed.map(({ block_id: id, name, sentence }) => (
        <li key={`removed ${id}`}>
          <Badge tone="danger">{text.removed}</Badge> <Sentence name={name} sentence={sentence} />
        </li>
      ))}
      {path && (
        <li>
          {text.defaultPath}: <del>{path.before ?? text.noPath}</del>{' '}
          <ins>{path.after ?? text.noPath}</ins>
        </li>
      )}
    </ul>
  );
}

function Sentence({ name, sentence }: { readonly name: string; readonly sentence: string }) {
  return (
    <>
      <strong>
        <ForeignText text={name} isName />
      </strong>
      : <ForeignText text={sentence} />
    </>
  );
}
