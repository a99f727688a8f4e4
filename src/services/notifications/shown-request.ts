/** How messages show a request: as the organization says now, and never with a hidden value. */
import { findBuiltIn } from '../../domain/agents/built-in-presentations/catalog.ts';
import type { ApprovalRequest } from '../../domain/requests/approval-requests.ts';
import { callText, type CallText, type MessageRoom } from '../../domain/shown/call-text.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../domain/shown/hidden-names.ts';
import type { HowToShow } from '../../domain/shown/shown-call.ts';
import type { OwnView } from '../../data/agents/tool-presentations.ts';
import { readSource } from '../../platform/json/source-values.ts';

export function howToShow({ tool, server }: ApprovalRequest, own: OwnView | undefined): HowToShow {
  return {
    presentation: own?.presentation ?? findBuiltIn(tool, server),
    hiddenNames: own?.hiddenNames ?? DEFAULT_HIDDEN_NAMES,
  };
}

export function textOfRequest(
  request: ApprovalRequest,
  own: OwnView | undefined,
  room: MessageRoom,
): CallText {
  const context = request.context && readSource(request.context.text);
  const call = { ...request, whole: readSource(request.arguments.text), context };
  return callText(call, howToShow(request, own), room);
}
