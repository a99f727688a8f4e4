/** What plan asks the service about rules: the tests of pipeline files, and the requests of the last 7 days. */
import {
  isExactObject,
  type ExactObject,
  type ExactValue,
} from '../../src/platform/json/exact-values.ts';
import { normal } from './documents/normal.ts';
import { failureOf, type PipelineTest } from './documents/pipeline-tests.ts';
import { said, type Declared, type FileFault } from './folder.ts';
import type { Change, Plan } from './plan.ts';
import { Refusal, type Service } from './service.ts';

const ORGANIZATION = '/api/v1/request-approval-pipelines/organization';

export interface TestResult {
  readonly pipeline: string;
  readonly name: string;
  /** Absent where it passed. */
  readonly failure?: FileFault;
}

/** Runs every test of the folder, those of unchanged pipelines too. */
export async function runTests(service: Service, plan: Plan): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const declared of plan.declared)
    for (const [index, test] of declared.tests.entries()) {
      const failed = await failureIn(service, {
        plan,
        declared,
        test,
        at: `/tests/${String(index)}`,
      });
      const of = { pipeline: declared.name, name: test.name };
      results.push(failed ? { ...of, failure: { file: declared.file, ...failed } } : of);
    }
  return results;
}

interface RunTest {
  readonly plan: Plan;
  readonly declared: Declared;
  readonly test: PipelineTest;
  /** The pointer to the test. */
  readonly at: string;
}

async function failureIn(service: Service, { plan, declared, test, at }: RunTest) {
  const { live } = plan;
  const { placeOf } = declared;
  // The pipeline of an agent that does not exist yet is evaluated as that of the organization, which is the same for its own blocks.
  const path = live.find('pipelines', declared.key)?.path ?? ORGANIZATION;
  const body = { ...normalOf(declared), sample: sampleOf(plan, declared, test) };
  try {
    const { value } = await service.call('POST', `${path}/preview`, { body });
    const got = {
      outcome: String(value['outcome']),
      terminal_block_id: text(value['terminal_block_id']),
      escalation_path: text(value['escalation_path']),
    };
    const failure = failureOf(test, got);
    return failure === undefined
      ? undefined
      : {
          ...placeOf(`${at}/outcome`),
          message: `the test ${JSON.stringify(test.name)} fails: ${failure}`,
        };
  } catch (error) {
    if (!(error instanceof Refusal) || error.issues.length === 0) throw error;
    const [{ pointer, message }] = error.issues as [{ pointer: string; message: string }];
    const inFile = pointer.startsWith('/sample/') ? pointer.replace(/^\/sample/, at) : pointer;
    return { ...placeOf(inFile), message: said(inFile, message) };
  }
}

const text = (value: ExactValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** In the form of the API. A pipeline file has no names to resolve. */
function normalOf({ kind, body }: Declared): ExactObject {
  const read = normal(kind, body);
  return read.ok ? read.value : body;
}

function sampleOf({ declared, live }: Plan, { key }: Declared, test: PipelineTest): object {
  const { request, previous_metadata: metadata } = test;
  const slug =
    key === 'organization'
      ? (test.agent ?? declared.find(({ kind }) => kind === 'agents')?.key ?? 'any-agent')
      : key.replace(/^agents\//, '');
  const agent = declared.find((one) => one.kind === 'agents' && one.key === slug);
  const name = text(agent?.body['name']) ?? live.find('agents', slug)?.title ?? slug;
  return { request, agent: { slug, name }, ...(metadata && { previous_metadata: metadata }) };
}

export interface SimulationResult {
  readonly pipeline: string;
  readonly from: string;
  readonly evaluated: number;
  readonly changed: number;
  readonly undetermined: number;
  readonly by_change: readonly {
    readonly was: string;
    readonly would_be: string;
    readonly count: number;
  }[];
  /** Some requests that would have had another outcome. */
  readonly examples: readonly {
    readonly id: string;
    readonly tool: string;
    readonly was: string;
    readonly would_be: string;
  }[];
  /** What the service refuses in the document. */
  readonly faults?: readonly FileFault[];
  /** Why there is none, or why it is not whole. */
  readonly note?: string;
}

const DAYS_MS = 7 * 86_400_000;
const MOST_PAGES = 100;
const EXAMPLES = 5;

/** What the changed pipelines would have said of the requests of the last 7 days. */
export async function simulate(
  service: Service,
  changes: readonly Change[],
): Promise<readonly SimulationResult[]> {
  const results: SimulationResult[] = [];
  for (const change of changes)
    if (change.kind === 'pipelines' && change.live) results.push(await simulated(service, change));
  return results;
}

async function simulated(
  service: Service,
  { name, live, body, declared }: Change,
): Promise<SimulationResult> {
  const { date } = await service.call('GET', '/api/v1/api_keys/verify');
  const from = new Date(date.getTime() - DAYS_MS).toISOString();
  const total = { evaluated: 0, changed: 0, undetermined: 0 };
  const changes = new Map<string, number>();
  const examples: SimulationResult['examples'][number][] = [];
  let cursor: ExactValue | undefined;
  let pages = 0;
  try {
    do {
      const page = { ...body, from_at: from, ...(cursor !== undefined && { cursor }) };
      const { value } = await service.call('POST', `${live?.path ?? ''}/simulate`, { body: page });
      for (const member of ['evaluated', 'changed', 'undetermined'] as const)
        total[member] += Number(value[member] ?? 0);
      for (const { was, would_be: would, count } of objects(value['by_change'])) {
        const key = `${String(was)} ${String(would)}`;
        changes.set(key, (changes.get(key) ?? 0) + Number(count));
      }
      for (const { id, tool, was, would_be: would } of objects(value['changes']))
        if (examples.length < EXAMPLES)
          examples.push({
            id: String(id),
            tool: String(tool),
            was: String(was),
            would_be: String(would),
          });
      cursor = value['next_cursor'];
      pages += 1;
    } while (typeof cursor === 'string' && pages < MOST_PAGES);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const faults = declared ? faultsIn(declared, error) : [];
    if (error.status !== 403 && faults.length === 0) throw error;
    const none = { pipeline: name, from, ...total, by_change: [], examples: [] };
    return faults.length > 0 ? { ...none, faults } : { ...none, note: error.message };
  }
  return {
    ...{ pipeline: name, from, ...total, examples },
    by_change: [...changes].map(([key, count]) => {
      const [was = '', would = ''] = key.split(' ');
      return { was, would_be: would, count };
    }),
    ...(typeof cursor === 'string' && { note: 'There are more requests than were looked at.' }),
  };
}

const faultsIn = ({ file, placeOf }: Declared, { issues }: Refusal): FileFault[] =>
  issues.map(({ pointer, message }) => ({
    ...{ file, ...placeOf(pointer), message: said(pointer, message) },
  }));

const objects = (value: ExactValue | undefined): readonly ExactObject[] =>
  Array.isArray(value) ? value.filter(isExactObject) : [];
