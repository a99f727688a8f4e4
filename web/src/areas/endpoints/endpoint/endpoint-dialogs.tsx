/** The dialogs of an endpoint: saving, activating, and the history. */
import note from '../../../shared/design/note.module.css';
import {
  RevisionDialogs,
  type RevisionDialogsProps,
} from '../../../shared/editor/revision-dialogs.tsx';
import { endpoint as text } from '../text.ts';
import { Changes } from './changes.tsx';

type EndpointDialogsProps = Omit<
  RevisionDialogsProps,
  'compare' | 'acknowledgment' | 'children'
> & {
  /** How many active rules ask it. */
  readonly uses: number;
};

export const EndpointDialogs = ({ uses, ...props }: EndpointDialogsProps) => (
  <RevisionDialogs
    {...props}
    compare={(before, after) => <Changes {...{ before, after }} />}
    acknowledgment={undefined}
  >
    {uses > 0 && <p className={note['warning']}>{text.anchor(uses)}</p>}
  </RevisionDialogs>
);
