/** Asks Postgres how it would run a statement, exactly as the service sends it. */
import { openPool, type Db } from '../../../src/platform/postgres.ts';
import type { TestApp } from '../app.ts';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Index Name'?: string;
  readonly 'CTE Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly sql: string;
  readonly bindings: unknown;
}

/** Prepared statements have their values among the options of the driver. */
interface Sent extends Statement {
  readonly options?: { readonly values?: readonly unknown[] };
}

function* nodesOf(plan: PlanNode): Generator<PlanNode> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(child);
}

/** Every node of the statement's plan. */
export async function explain(app: TestApp, { sql, bindings }: Statement): Promise<PlanNode[]> {
  return await planOf(app, `explain (format json) ${sql}`, bindings);
}

async function planOf(app: TestApp, sql: string, bindings: unknown = []): Promise<PlanNode[]> {
  const { rows } = await app.db.raw<{ rows: { 'QUERY PLAN': string }[] }>(sql, bindings as never);
  const [explained] = JSON.parse(rows[0]?.['QUERY PLAN'] ?? '[]') as { Plan: PlanNode }[];
  if (!explained) throw new Error('no plan');
  return [...nodesOf(explained.Plan)];
}

/** Every node of the plan that a prepared statement keeps for all calls. */
export async function explainGeneric(
  app: TestApp,
  { sql }: Statement,
): Promise<readonly PlanNode[]> {
  let place = 0;
  return await planOf(
    app,
    `explain (format json, generic_plan) ${sql.replaceAll('?', () => `$${++place}`)}`,
  );
}

/**
 * The first statement that `run` sends, so that its own plan is read and not that of another
 * wording.
 */
export async function statementOf(
  app: TestApp,
  run: (db: Db) => Promise<unknown>,
): Promise<Statement> {
  const pool = openPool({ connectionString: app.databaseUrl, max: 1, applicationName: 'plans' });
  const statements: Statement[] = [];
  pool.on('query', ({ sql, bindings, options }: Sent) => {
    statements.push({ sql, bindings: options?.values ?? bindings });
  });
  try {
    await run(pool);
  } finally {
    await pool.destroy();
  }
  const [statement] = statements;
  if (!statement) throw new Error('nothing was sent');
  return { sql: statement.sql.replaceAll(/\$\d+/g, '?'), bindings: statement.bindings };
}
