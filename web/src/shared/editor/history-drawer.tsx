/** All revisions of a document, newest first: compare one with the text, edit it again, or activate it. */
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Drawer } from '../design/dialogs/drawer.tsx';
import { Instant } from '../design/instant.tsx';
import { Item, Items } from '../design/lists/items.tsx';
import { ForeignText } from '../exact/foreign-text.tsx';
import { More } from '../page/more.tsx';
import { Loading, PartFailed } from '../page/states.tsx';
import { editor as text } from '../text/editor.ts';
import type { ListedRevision } from './revisions.ts';

interface HistoryDrawerProps {
  readonly list: Parameters<typeof More>[0]['list'] &
    Parameters<typeof PartFailed>[0]['part'] & {
      readonly isPending: boolean;
      readonly isError: boolean;
      readonly data:
        | { readonly pages: readonly { readonly revisions: readonly ListedRevision[] }[] }
        | undefined;
    };
  /** Absent where the reader may not. */
  readonly onEdit?: ((revision: number) => void) | undefined;
  readonly onActivate?: ((revision: number) => void) | undefined;
  /** What changes from the revision to the text, as sentences. */
  readonly compare: (revision: number) => ReactNode;
  readonly onClose: () => void;
}

export function HistoryDrawer({ list, onEdit, onActivate, compare, onClose }: HistoryDrawerProps) {
  const [compared, setCompared] = useState<number>();
  const revisions = list.data?.pages.flatMap((page) => page.revisions) ?? [];
  return (
    <Drawer title={text.historyTitle} onClose={onClose}>
      {list.isPending && <Loading />}
      {list.isError && !list.isFetchNextPageError && <PartFailed part={list} />}
      <Items>
        {revisions.map((each) => (
          <Row
            key={each.revision}
            {...{ each, onEdit, onActivate, compare }}
            isCompared={compared === each.revision}
            onCompare={setCompared}
          />
        ))}
      </Items>
      <More list={list} />
    </Drawer>
  );
}

interface RowProps extends Pick<HistoryDrawerProps, 'onEdit' | 'onActivate' | 'compare'> {
  readonly each: ListedRevision;
  readonly isCompared: boolean;
  readonly onCompare: (revision: number | undefined) => void;
}

function Row({ each, isCompared, onCompare, compare, ...more }: RowProps) {
  const { revision, is_active: isActive, comment } = each;
  const { onEdit, onActivate } = more;
  const actions = [
    { label: text.compareWith, act: () => onCompare(isCompared ? undefined : revision) },
    ...(onEdit ? [{ label: text.restore, act: () => onEdit(revision) }] : []),
    ...(onActivate && !isActive
      ? [{ label: text.activateOld, act: () => onActivate(revision) }]
      : []),
  ];
  return (
    <Item
      name={text.revision(revision)}
      current={isActive ? text.active : undefined}
      actions={actions.map(({ label, act }) => (
        <Button key={label} isSecondary onClick={act}>
          {label}
        </Button>
      ))}
    >
      {comment !== undefined && (
        <p>
          <ForeignText text={comment} />
        </p>
      )}
      <p>
        <Instant at={each.created_at} as="ago" focusable={false} /> {text.by}{' '}
        <bdi>{each.created_by.display_name}</bdi>
      </p>
      {isCompared && compare(revision)}
    </Item>
  );
}
