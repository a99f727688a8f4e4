/** What a presentation calls the call: its text, with values of the arguments. */
import { CutText } from '../../../exact/cut-text.tsx';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import type { PresentedCall } from './presented-call.ts';

export function CallTitle({ title }: Pick<PresentedCall, 'title'>) {
  return title.map((part, index) =>
    typeof part === 'string' ? (
      <ForeignText key={index} text={part} />
    ) : (
      <strong key={index}>
        <CutText text={part.kind === 'string' ? part.characters : part.source} />
      </strong>
    ),
  );
}
