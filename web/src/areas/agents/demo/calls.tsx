/** The calls of the agent, so that a reader learns the API. */
import { DataTable } from '../../../shared/design/tables/data-table.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import type { MadeCall } from './course.ts';
import { demo as text } from './text.ts';
import classes from './demo.module.css';

const COLUMNS = [
  {
    key: 'call',
    title: text.columns.path,
    cell: ({ method, path }: MadeCall) => (
      <code className={classes['call']}>
        <strong>{method}</strong> {path}
      </code>
    ),
  },
  {
    key: 'status',
    title: text.columns.status,
    cell: ({ status, says, times }: MadeCall) => (
      <code>
        {status === 0 ? text.noResponse : status} {says} {times > 1 && `× ${times}`}
      </code>
    ),
  },
] as const;

export function Calls({ calls }: { readonly calls: readonly MadeCall[] }) {
  return (
    <Panel title={text.calls} hint={text.callsHint}>
      <DataTable
        label={text.callsLabel}
        columns={COLUMNS}
        rows={calls.map((call, index) => ({ ...call, index }))}
        keyOf={({ index }) => String(index)}
      />
    </Panel>
  );
}
