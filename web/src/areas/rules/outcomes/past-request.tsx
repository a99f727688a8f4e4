/** A past request, next to the rules that would have decided it otherwise. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Drawer } from '../../../shared/design/dialogs/drawer.tsx';
import { printedJson } from '../../../shared/editor/printed-json.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { Loading, PartFailed } from '../../../shared/page/states.tsx';
import type { Change } from './simulation-sum.ts';
import { outcomes as text } from './text.ts';
import { sampleQuery } from './trial.ts';
import classes from './outcomes.module.css';

interface PastRequestProps {
  readonly change: Change;
  /** The one that would decide. */
  readonly rule: string | undefined;
  readonly onClose: () => void;
}

export function PastRequest({ change, rule, onClose }: PastRequestProps) {
  const { id, title, tool, was, would_be: next } = change;
  const sample = useQuery(sampleQuery(id));
  return (
    <Drawer title={<ForeignText text={title ?? tool} isName />} onClose={onClose}>
      <div className={classes['beside']}>
        <p>
          {text.becomes(text.verdicts[was], text.verdicts[next])}{' '}
          {rule === undefined ? (
            text.endOfPipeline
          ) : (
            <>
              {text.decidedBy} <ForeignText text={rule} isName />.
            </>
          )}
        </p>
        {sample.isPending && <Loading />}
        {sample.isError && <PartFailed part={sample} />}
        {sample.data && (
          <>
            <p className={classes['hint']}>
              <ForeignText text={sample.data.agentName} isName /> ·{' '}
              <code>
                <ForeignText text={tool} isName />
              </code>
            </p>
            <pre className={classes['whole']} tabIndex={0} aria-label={text.arguments}>
              <ForeignText text={printedJson(sample.data.shown.arguments)} isSource />
            </pre>
          </>
        )}
        <Link to="/requests/$id" params={{ id }} target="_blank">
          {text.openRequest}
        </Link>
      </div>
    </Drawer>
  );
}
