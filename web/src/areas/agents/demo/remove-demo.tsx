/** Asks before the demo agent is removed, and says what goes with it. */
import { Consequence } from '../../../shared/design/dialogs/consequence.tsx';
import { demo as text } from './text.ts';
import type { useDemo } from './use-demo.ts';

interface RemoveDemoProps {
  readonly doing: ReturnType<typeof useDemo>['remove'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RemoveDemo({ doing, onDone, onClose }: RemoveDemoProps) {
  return (
    <Consequence
      title={text.removeTitle}
      label={text.confirm}
      busy={text.removing}
      doing={doing}
      onConfirm={() => {
        doing.mutate(undefined, { onSuccess: onDone });
      }}
      onClose={onClose}
    >
      <p>{text.removes}</p>
      <p>{text.keeps}</p>
    </Consequence>
  );
}
