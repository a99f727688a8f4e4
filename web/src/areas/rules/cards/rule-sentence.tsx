/** A rule as a sentence: its name, when it applies, what it does, and why. */
import { blockSentence } from '../../../../../src/domain/pipelines/sentences.ts';
import { conditionText } from '../../../../../src/domain/conditions/sentences.ts';
import type { Block } from '../../../../../src/domain/pipelines/types.ts';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { rules as text } from '../text.ts';
import { OutcomeChip, outcomeOf } from './outcome-chip.tsx';
import classes from './rule-card.module.css';

export function RuleSentence({ block }: { readonly block: Block }) {
  const { escalation_path: path } = block.config;
  return (
    <>
      <p className={classes['sentence']}>
        <span>
          <When block={block} />
        </span>{' '}
        <span className={classes['then']}>
          <span aria-hidden="true">→</span> <OutcomeChip outcome={outcomeOf(block)} />
          {path !== undefined && (
            <Badge>
              {text.path} <bdi>{path}</bdi>
            </Badge>
          )}
        </span>
      </p>
      {block.config.reason !== undefined && block.config.reason !== '' && (
        <p className={classes['reason']}>
          <ForeignText text={block.config.reason} />
        </p>
      )}
    </>
  );
}

function When({ block }: { readonly block: Block }) {
  if (block.type === 'always') return text.always;
  if (block.type === 'cel' || block.type === 'branch')
    return (
      <>
        {text.when} <ForeignText text={conditionText(block.config.when)} />
      </>
    );
  return <ForeignText text={blockSentence({ ...block, enabled: true })} />;
}
