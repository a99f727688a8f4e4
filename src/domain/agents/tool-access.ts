/** What of a server's tools an agent may call through an MCP gateway. A server that is not listed is closed. */

export const TOOL_ACCESS = ['all', 'selected', 'none'] as const;
export type ToolAccessKind = (typeof TOOL_ACCESS)[number];

/** Of one server. */
export const MOST_SELECTED_TOOLS = 1_000;
/** Of one agent. */
export const MOST_SERVERS = 200;

export interface WantedToolAccess {
  readonly access: ToolAccessKind;
  /** By their exact names, sorted; empty unless the access is `selected`. */
  readonly tools: readonly string[];
}

export interface ToolAccess extends WantedToolAccess {
  readonly serverSlug: string;
  /** The revision of the agent's tool access that changed it last. */
  readonly revision: number;
  readonly updatedAt: Date;
}

/** Whether a change would change nothing. Both lists are sorted. */
export const isSameAccess = (a: WantedToolAccess, b: WantedToolAccess): boolean =>
  a.access === b.access &&
  a.tools.length === b.tools.length &&
  a.tools.every((tool, index) => tool === b.tools[index]);
