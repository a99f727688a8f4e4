/** The dialogs of the rules page: saving, activating, and the history. */
import {
  RevisionDialogs,
  type RevisionDialogsProps,
} from '../../shared/editor/revision-dialogs.tsx';
import { changesBetween } from './document/pipeline-changes.ts';
import type { TestsState } from './editing.ts';
import { mustHold } from './must-hold/text.ts';
import { ChangeList } from './outcomes/change-list.tsx';
import { ImpactNote } from './outcomes/impact-note.tsx';
import { useImpact } from './outcomes/impact.ts';
import type { Scope } from './rules-data.ts';

type RulesDialogsProps = Omit<
  RevisionDialogsProps,
  'compare' | 'acknowledgment' | 'isWaiting' | 'children'
> & {
  readonly scope: Scope;
  readonly tests: TestsState;
};

export function RulesDialogs({ scope, tests, ...props }: RulesDialogsProps) {
  const { dialog, document } = props;
  const isActivated = dialog.kind === 'save' && dialog.isActivated;
  const impact = useImpact(scope, document.state.text, isActivated);
  return (
    <RevisionDialogs
      {...props}
      compare={(before, after) => <ChangeList diff={changesBetween(before, after)} />}
      acknowledgment={joined([impact.acknowledgment, ...testsSaid(tests)])}
      isWaiting={impact.isPending}
    >
      <ImpactNote impact={impact} />
    </RevisionDialogs>
  );
}

/** A test that fails is named, and does not hold the rules back for ever. */
function testsSaid({ failing, isUntold }: TestsState): readonly string[] {
  if (isUntold) return [mustHold.notRun];
  return failing.length > 0 ? [mustHold.accept(failing)] : [];
}

const joined = (sentences: readonly (string | undefined)[]): string | undefined => {
  const said = sentences.filter((sentence) => sentence !== undefined);
  return said.length > 0 ? said.join(' ') : undefined;
};
