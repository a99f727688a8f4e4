/** The state of the service, for people who run it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Instant } from '../../shared/design/instant.tsx';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { StateMark, type StateTone } from '../../shared/design/marks/badge.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { TextBlock } from '../../shared/exact/text-block.tsx';
import { Page } from '../../shared/page/page.tsx';
import { Failed, Loading, MissingPermission } from '../../shared/page/states.tsx';
import { accountQuery, hasPermission } from '../../shared/session/session.ts';
import { linesOf, type Line, type LineState } from './lines.ts';
import { systemQuery, type System } from './system-data.ts';
import { system as text } from './text.ts';
import { WorkflowSearch } from './workflow-search.tsx';
import classes from './system.module.css';

const PERMISSION = 'organization.settings.write';

export function SystemPage() {
  const { data: account } = useSuspenseQuery(accountQuery);
  if (!hasPermission(account, PERMISSION)) return <MissingPermission permission={PERMISSION} />;
  return (
    <Page title={text.title} hint={text.hint}>
      <State />
    </Page>
  );
}

function State() {
  const state = useQuery(systemQuery);
  if (!state.data) {
    if (state.isError) return <Failed error={state.error} reset={() => void state.refetch()} />;
    return <Loading />;
  }
  return (
    <>
      <Lines system={state.data} isStale={state.isError} />
      <Figures system={state.data} />
      <WorkflowSearch base={state.data.workflows_url} />
    </>
  );
}

/** What is wrong comes first. */
const ORDER = ['wrong', 'watch', 'well'] as const satisfies readonly LineState[];

const TONES: Readonly<Record<LineState, StateTone>> = {
  well: 'good',
  watch: 'warn',
  wrong: 'danger',
};

function Lines({ system, isStale }: { readonly system: System; readonly isStale: boolean }) {
  const lines = linesOf(system);
  const count = (state: LineState) => lines.filter((line) => line.state === state).length;
  const [wrong, watched] = [count('wrong'), count('watch')];
  const title = wrong + watched === 0 ? text.well : text.problems(wrong, watched);
  return (
    <Panel
      title={title}
      hint={
        <>
          {text.read} <Instant at={system.at} as="ago" focusable={false} />.
        </>
      }
    >
      {isStale && (
        <p role="alert" className={classes['stale']}>
          {text.stale}
        </p>
      )}
      <ul className={classes['lines']} aria-label={text.title}>
        {ORDER.flatMap((state) => lines.filter((line) => line.state === state)).map((line) => (
          <Row key={line.name} line={line} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ line: { name, state, fact, advice, said } }: { readonly line: Line }) {
  return (
    <li className={classes['line']} data-state={state}>
      <StateMark tone={TONES[state]}>{text.states[state]}</StateMark>
      <strong>{text.names[name]}</strong>
      <div>
        <bdi>{fact}</bdi>
        {advice !== undefined && <span className={classes['advice']}>{advice}</span>}
        {said !== undefined && (
          <details className={classes['said']}>
            <summary>{text.said}</summary>
            <TextBlock text={said} />
          </details>
        )}
      </div>
    </li>
  );
}

function Figures({ system: { levels, rules, edition, versions } }: { readonly system: System }) {
  return (
    <Panel title={text.figures}>
      <Facts>
        <Fact label={text.worst}>{text.seconds(levels.worst_seconds)}</Fact>
        <Fact label={text.rules}>{text.rulesIn[rules]}</Fact>
        <Fact label={text.edition}>{text.editions[edition]}</Fact>
        {(['countersign', 'node', 'postgres', 'temporal', 'migration'] as const).map((name) => (
          <Fact key={name} label={text.versions[name]}>
            {versions[name] ?? text.unknown}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}
