/** Names of tools and of the MCP servers that define them. They are compared as they are, capitals included. */

/** Characters of a name. */
export const TOOL_NAME_LENGTH = 512;
