/** Whether rules can ask an endpoint. */
import { Badge } from '../../shared/design/marks/badge.tsx';
import type { Summary } from './endpoints-data.ts';
import { endpoints as text } from './text.ts';

type State = Pick<Summary, 'active_revision' | 'archived_at'>;

export function StateBadge({ active_revision: active, archived_at: archived }: State) {
  if (archived !== undefined) return <Badge tone="dashed">{text.archived}</Badge>;
  if (active === undefined) return <Badge tone="dashed">{text.noneActive}</Badge>;
  return <Badge tone="good">{text.active(active)}</Badge>;
}
