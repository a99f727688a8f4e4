/** How calls of tools are shown: by the organization's own presentation of the tool, else by a built-in one. */
import { findBuiltIn } from '../../domain/agents/built-in-presentations/catalog.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../domain/shown/hidden-names.ts';
import type { HowToShow } from '../../domain/shown/shown-call.ts';
import { findOwnViews } from '../../data/agents/tool-presentations.ts';
import type { Db } from '../../platform/postgres.ts';

interface Call {
  readonly tool: string;
  readonly server: string | null;
}

export interface HowToShowCalls {
  readonly hows: readonly HowToShow[];
  /** Which of them is for a call. */
  readonly howOf: (call: Call) => number;
}

const keyOf = ({ tool, server }: Call): string => JSON.stringify([tool, server]);

export async function howToShowCalls(
  db: Db,
  organizationId: string,
  calls: readonly Call[],
): Promise<HowToShowCalls> {
  const tools = [...new Map(calls.map((call) => [keyOf(call), call])).values()];
  const places = new Map(tools.map((call, index) => [keyOf(call), index]));
  const asked = tools.map(({ tool, server }) => ({
    ...{ organizationId, tool, server: server ?? undefined },
  }));
  const own = asked.length === 0 ? [] : await findOwnViews(db, asked);
  return {
    hows: asked.map(({ tool, server }, index) => ({
      presentation: own[index]?.presentation ?? findBuiltIn(tool, server),
      hiddenNames: own[index]?.hiddenNames ?? DEFAULT_HIDDEN_NAMES,
    })),
    howOf: (call) => places.get(keyOf(call)) ?? -1,
  };
}
