/** The tool catalog: what instances of agents report about their tools. Names and texts in it are the runtime's own claims. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { JsonText } from '../../platform/json/exact-json.ts';
import { canonicalJson } from '../../platform/json/exact-values.ts';
import { foreignName, list, object, text, type ReadAs } from '../grammar.ts';
import { TOOL_NAME_LENGTH } from './tool-names.ts';

export const MAX_REPORTED_TOOLS = 2_000;
export const MAX_REPORTED_SOURCES = 500;
/** Of JSON, in all levels. Reading and digesting so many takes about a second. */
export const MAX_REPORTED_VALUES = 250_000;
const MAX_SCHEMA_BYTES = 256 * 1024;

export const TOOL_SOURCES = ['builtin', 'mcp'] as const;
export type ToolSource = (typeof TOOL_SOURCES)[number];

const isObjectText = (value: unknown): boolean =>
  value instanceof JsonText && value.text.startsWith('{');

const inputSchema = z
  .custom<JsonText>(isObjectText, { error: 'must be a JSON object', abort: true })
  .refine((json) => Buffer.byteLength(json.text) <= MAX_SCHEMA_BYTES, {
    error: 'must be at most 256 KiB of JSON',
  })
  .meta({
    description:
      'The original JSON Schema of the arguments, at most 256 KiB, kept digit for digit. Absent: unknown.',
    override: { type: 'object', additionalProperties: true },
  });

const hint = (description: string) => z.boolean().optional().meta({ description });

export const toolAnnotationsSchema = object({
  title: text('A title for people.', { min: 0, max: 512 }).optional(),
  read_only_hint: hint('The tool changes nothing.'),
  destructive_hint: hint('The tool may destroy something.'),
  idempotent_hint: hint('Repeating a call changes nothing more.'),
  open_world_hint: hint('The tool reaches systems beyond the server.'),
}).meta({
  id: 'ToolAnnotations',
  description: 'Hints that the tool gives about itself, as MCP names them. They are not checked.',
});

export type ToolAnnotations = ReadAs<typeof toolAnnotationsSchema>;

/** What a runtime says about one tool. */
const toolDefinitionMembers = {
  name: foreignName('The exact name of the tool in approval requests.', TOOL_NAME_LENGTH),
  display_name: text('Its name for people.', { min: 0, max: 512 }).optional(),
  description: text('What it does, for the model.', { min: 0, max: 65_536 }).optional(),
  input_schema: inputSchema.optional(),
  annotations: toolAnnotationsSchema.optional(),
};

export const toolDefinitionSchema = object(toolDefinitionMembers).meta({
  id: 'ToolDefinition',
  description: 'A tool as its runtime defines it.',
});

export type ToolDefinition = ReadAs<typeof toolDefinitionSchema>;

/** What a report says about a source, without its tools. */
export const toolSourceMembers = {
  source: z.enum(TOOL_SOURCES).meta({
    description: '`builtin`: tools of the runtime itself; `mcp`: tools of an MCP server.',
  }),
  server: foreignName(
    'Alias of the MCP server, as in approval requests; absent for built-in tools.',
    TOOL_NAME_LENGTH,
  ).optional(),
  complete: z.boolean().default(true).meta({
    description: 'Whether `tools` is everything the source has. If false, nothing is removed.',
  }),
  error: text('Why the source could not be read; then nothing is removed.', {
    max: 2_000,
  }).optional(),
};

export const toolReportMembers = {
  runtime: foreignName('The program that runs the agent, such as `claude-code`.', 200),
  discovery_context: foreignName(
    'An opaque id of the place where the tools were found, such as a project. The same place must keep its id.',
    256,
  ),
  complete: z.boolean().default(true).meta({
    description:
      'Whether `sources` is everything that was found. If false, sources that it leaves out stay.',
  }),
  sources: list(
    object({
      ...toolSourceMembers,
      tools: list(toolDefinitionSchema)
        .max(MAX_REPORTED_TOOLS)
        .optional()
        .meta({ description: 'The tools; may be absent with `error`.' }),
    }),
  )
    .max(MAX_REPORTED_SOURCES)
    .meta({
      description: `What each source has, at most ${MAX_REPORTED_TOOLS} tools in all. A source, and a tool in it, is listed once.`,
    }),
};

/** A tool of a report, with its digests. */
export interface ReportedTool {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  /** JSON texts. */
  readonly inputSchema?: string | undefined;
  readonly annotations?: string | undefined;
  readonly schemaFingerprint?: string | undefined;
  readonly definitionDigest: string;
}

export interface ReportedSource {
  readonly source: ToolSource;
  readonly server?: string | undefined;
  readonly complete: boolean;
  readonly error?: string | undefined;
  readonly tools: readonly ReportedTool[];
}

export interface ToolReport {
  readonly runtime: string;
  readonly discoveryContext: string;
  readonly complete: boolean;
  readonly sources: readonly ReportedSource[];
}

const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex');

/** The digests change with any change of the schema, and of anything. White space of a schema is part of the second only. */
export function reportedTool(tool: ToolDefinition): ReportedTool {
  const { name, display_name: displayName, description, input_schema: schema } = tool;
  const annotations = tool.annotations && JSON.stringify(tool.annotations);
  const all = [name, displayName ?? null, description ?? null, schema?.text ?? null, annotations];
  return {
    name,
    displayName,
    description,
    inputSchema: schema?.text,
    annotations,
    schemaFingerprint: schema && sha256(canonicalJson(schema.value)),
    definitionDigest: sha256(JSON.stringify(all)),
  };
}

/** A source is the same in every report of its context. */
export function sourceKeyOf({ source, server }: Pick<ReportedSource, 'source' | 'server'>): string {
  return JSON.stringify([source, server ?? null]);
}

/** What is stored about a tool of the context. Also of one that was removed. */
export interface StoredTool {
  readonly id: string;
  readonly name: string;
  readonly schemaFingerprint: string | null;
  readonly definitionDigest: string;
  readonly removed: boolean;
}

export interface StoredSource {
  readonly id: string;
  readonly source: ToolSource;
  readonly server: string | null;
  readonly tools: readonly StoredTool[];
}

export interface SchemaChange {
  readonly toolId: string;
  readonly source: ReportedSource;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | undefined;
}

/** What a report changes. */
export interface ToolReportPlan {
  /** New or changed tools, with their sources. `id`: of the row, when there is one. */
  readonly write: readonly {
    readonly source: ReportedSource;
    readonly tool: ReportedTool;
    readonly id: string | undefined;
    /** Its schema has the same fingerprint as before, so that it counts as unchanged. */
    readonly sameSchema: boolean;
  }[];
  /** Ids of the tools that are as they were, to the letter. */
  readonly unchanged: readonly string[];
  /** Ids of the tools that are no longer there. */
  readonly removedTools: readonly string[];
  readonly removedSources: readonly string[];
  readonly schemaChanges: readonly SchemaChange[];
}

/** Compares a report with what its context reported before. */
export function planToolReport(
  report: ToolReport,
  stored: readonly StoredSource[],
): ToolReportPlan {
  const write: ToolReportPlan['write'][number][] = [];
  const unchanged: string[] = [];
  const removedTools: string[] = [];
  const schemaChanges: SchemaChange[] = [];
  const before = new Map(
    stored.map((each) => [sourceKeyOf({ ...each, server: each.server ?? undefined }), each]),
  );
  for (const source of report.sources) {
    const key = sourceKeyOf(source);
    const earlier = new Map((before.get(key)?.tools ?? []).map((tool) => [tool.name, tool]));
    before.delete(key);
    for (const tool of source.tools) {
      const known = earlier.get(tool.name);
      earlier.delete(tool.name);
      if (known && !known.removed && known.definitionDigest === tool.definitionDigest)
        unchanged.push(known.id);
      else {
        const sameSchema =
          known?.removed === false &&
          known.schemaFingerprint !== null &&
          known.schemaFingerprint === tool.schemaFingerprint;
        write.push({ source, tool, id: known?.id, sameSchema });
      }
      const { schemaFingerprint: after } = tool;
      if (known && known.schemaFingerprint !== (after ?? null))
        schemaChanges.push({
          toolId: known.id,
          source,
          name: tool.name,
          before: known.schemaFingerprint,
          after,
        });
    }
    if (source.complete && source.error === undefined) removedTools.push(...liveIds(earlier));
  }
  const gone = report.complete ? [...before.values()] : [];
  for (const { tools } of gone) removedTools.push(...liveIds(new Map(tools.entries())));
  const removedSources = gone.map(({ id }) => id);
  return { write, unchanged, removedTools, removedSources, schemaChanges };
}

const liveIds = (tools: ReadonlyMap<unknown, StoredTool>): string[] =>
  [...tools.values()].filter(({ removed }) => !removed).map(({ id }) => id);

export const TOOL_STATUSES = ['available', 'unavailable', 'stale'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** `tools`: each tool of an agent and server once, as it was reported last. */
export const TOOL_CATALOG_VIEWS = ['reports', 'tools'] as const;
export type ToolCatalogView = (typeof TOOL_CATALOG_VIEWS)[number];

/** A tool as one instance reported it, with its source. */
export interface ToolCatalogEntry {
  readonly id: string;
  readonly agentSlug: string;
  readonly agentInstanceId: string;
  readonly instanceName: string;
  readonly discoveryContext: string;
  readonly runtime: string;
  readonly source: ToolSource;
  readonly server: string | null;
  readonly available: boolean;
  readonly stale: boolean;
  readonly error: string | null;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly inputSchema: JsonText | null;
  readonly annotations: ToolAnnotations | null;
  readonly schemaFingerprint: string | null;
  /** When a report last had another schema than the one before. */
  readonly schemaChangedAt: Date | null;
  /** The schema before that, where it is known. Only of a tool that is read alone. */
  readonly previousInputSchema?: JsonText | null;
  readonly lastSeenAt: Date;
  readonly lastAttemptAt: Date;
}

export interface ToolCatalogSource {
  readonly id: string;
  readonly agentSlug: string;
  readonly agentInstanceId: string;
  readonly runtime: string;
  readonly discoveryContext: string;
  readonly source: ToolSource;
  readonly server: string | null;
  readonly lastAttemptAt: Date;
  readonly lastSuccessAt: Date | null;
  readonly error: string | null;
}
