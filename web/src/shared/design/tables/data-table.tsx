/** Rows with the same facts. On phones each row is a card whose facts have their names next to them. */
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, one below the other. */
  readonly isNumber?: boolean;
  /** Whether a press on the title sorts by it. */
  readonly isSortable?: boolean;
}

export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** For rows that are no longer in use. */
  readonly isFaded?: (row: Row) => boolean;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  isFaded,
  ...sorting
}: DataTableProps<Row>) {
  // Roles by name: with the layout of a phone, browsers no longer see a table.
  return (
    <table role="table" aria-label={label} className={classes['table']}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Head key={column.key} column={column} {...sorting} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row" data-faded={isFaded?.(row) === true || undefined}>
            {columns.map((column, index) => (
              <Cell key={column.key} column={column} row={row} isName={index === 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps extends Pick<DataTableProps<never>, 'sort' | 'onSort'> {
  readonly column: Pick<Column<never>, 'key' | 'title' | 'isNumber' | 'isSortable'>;
}

function Head({ column: { key, title, isNumber, isSortable = false }, sort, onSort }: HeadProps) {
  const isSorted = sort?.key === key;
  const order = sort?.isDescending === true ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      data-number={isNumber}
      aria-sort={isSorted ? order : undefined}
    >
      {isSortable ? (
        <button
          type="button"
          className={classes['sort']}
          onClick={() => {
            onSort?.({ key, isDescending: isSorted ? !sort.isDescending : isNumber === true });
          }}
        >
          {title}
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d="M3 7l3 3 3-3" data-on={isSorted && order === 'descending'} />
            <path d="M3 5l3-3 3 3" data-on={isSorted && order === 'ascending'} />
          </svg>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isName: boolean;
}

function Cell<Row>({ column: { title, cell, isNumber }, row, isName }: CellProps<Row>) {
  const content = cell(row);
  if (isName)
    return (
      <th role="rowheader" scope="row" className={classes['name']}>
        {content}
      </th>
    );
  return (
    <td role="cell" data-number={isNumber}>
      {/* Seen on phones only: screen readers know the head of the column. */}
      <span className={classes['title']} aria-hidden="true">
        {title}
      </span>
      <span className={classes['content']}>{content}</span>
    </td>
  );
}
