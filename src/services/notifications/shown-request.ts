/** How messages show a request: as the organization says now, and never with a hidden value. */
import { findBuiltIn } from '../../domain/agents/built-in-presentations/catalog.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { callText, type CallText, type MessageRoom } from '../../domain/shown/call-text.ts';
import { withoutHidden, type ConcealedSource } from '../../domain/shown/concealed-source.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../domain/shown/hidden-names.ts';
import type { HowToShow } from '../../domain/shown/shown-call.ts';
import type { OwnView } from '../../data/agents/tool-presentations.ts';
import { readBeginning, readSource, type SourceValue } from '../../platform/json/source-values.ts';

export function howToShow({ tool, server }: ApprovalRequest, own: OwnView | undefined): HowToShow {
  return {
    presentation: own?.presentation ?? findBuiltIn(tool, server),
    hiddenNames: own?.hiddenNames ?? DEFAULT_HIDDEN_NAMES,
  };
}

/** Reading more would hold up others for too long. A message shows no more than a small part of it anyway. */
const MOST_READ = 64 * 1024;

const readPart = (text: string): SourceValue | undefined =>
  text.length > MOST_READ ? readBeginning(text.slice(0, MOST_READ)) : readSource(text);

interface GivenArguments {
  readonly text: string;
  readonly how: HowToShow;
}

/** The arguments for another system. Large ones are read in a thread. */
export const concealedArguments = ({ text, how }: GivenArguments): ConcealedSource =>
  withoutHidden(text, how);

export function textOfRequest(
  request: ApprovalRequest,
  own: OwnView | undefined,
  room: MessageRoom,
): CallText {
  const texts = [request.arguments.text, request.context?.text ?? ''];
  const [whole, context] = texts.map(readPart);
  const isPart = texts.some((text) => text.length > MOST_READ);
  const beginningOf = isPart ? texts.join('').length : undefined;
  const call = { ...request, whole, context, beginningOf };
  return callText(call, howToShow(request, own), room);
}
