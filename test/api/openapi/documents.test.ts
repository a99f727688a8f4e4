/**
 * The reader of documents refuses everything that their schema refuses, and the schema accepts
 * everything that the reader accepts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import {
  parseEscalationPathDocument,
  parseTeamPolicyDocument,
} from '../../../src/domain/escalation/parse.ts';
import type { Parsed } from '../../../src/domain/grammar.ts';
import { parsePipelineDocument } from '../../../src/domain/pipelines/parse.ts';
import { parseExact, stringifyExact } from '../../../src/platform/json/exact-json.ts';
import type { ExactValue } from '../../../src/platform/json/exact-values.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';

type Members = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const description = parse(readFileSync(join(packageRoot(), 'api/openapi.yaml'), 'utf8')) as Members;
ajv.addSchema(description, 'openapi');

function agreementOf(component: string, read: (value: ExactValue) => Parsed<unknown>) {
  const fits = ajv.compile({ $ref: `openapi#/components/schemas/Posted${component}` });
  return (document: unknown) => ({
    described: fits(document),
    read: read(parseExact(stringifyExact(document))).ok,
  });
}

/**
 * A copy of the document in which one member of one object is missing, unknown or of another type.
 */
function* mutationsOf(document: unknown): Generator<unknown> {
  const text = JSON.stringify(document);
  const paths: (string | number)[][] = [];
  const visit = (value: unknown, path: (string | number)[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) paths.push(path);
    for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
  };
  visit(document, []);
  for (const path of paths) {
    const copyAt = (): [unknown, Record<string, unknown>] => {
      const copy: unknown = JSON.parse(text);
      let at = copy;
      for (const key of path) at = (at as Record<string, unknown>)[key];
      return [copy, at as Record<string, unknown>];
    };
    const [unknown, object] = copyAt();
    object['surprise'] = 1;
    yield unknown;
    for (const key of Object.keys(object).filter((each) => each !== 'surprise')) {
      for (const value of [undefined, null, 1.5, 'Not So!', [], {}, true]) {
        const [copy, changed] = copyAt();
        if (value === undefined) Reflect.deleteProperty(changed, key);
        else changed[key] = value;
        yield copy;
      }
    }
  }
}

const leaf = (id: string, members: Members = {}) => ({
  id,
  field: '/request/arguments/amount',
  operator: 'less_than',
  value: 50,
  ...members,
});
const when = {
  id: 'root',
  all: [
    leaf('a'),
    { id: 'b', any: [leaf('c', { field: '/request/tool', operator: 'in', value: ['pay'] })] },
    {
      id: 'd',
      some: { field: '/request/arguments/list', condition: leaf('e', { field: '/item' }) },
    },
    { id: 'f', every: { field: '/request/arguments/list', condition: leaf('g') } },
  ],
};
const pipeline = {
  blocks: [
    {
      id: 'gate',
      name: 'Gate',
      type: 'always',
      enabled: false,
      timeout: '10s',
      max_attempts: 2,
      config: { outcome: 'human', reason: 'Because.', escalation_path: 'night' },
    },
    { id: 'rule', name: 'Rule', type: 'cel', config: { when, on_match: 'deny', reason: 'No.' } },
  ],
  default_escalation_path: 'on-call',
};

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const policy = {
  working_hours: [
    {
      id: 'office',
      name: 'Office',
      timezone: 'Europe/Berlin',
      intervals: [{ weekdays: ['mon', 'fri'], start: '09:00', end: '24:00' }],
    },
  ],
  nodes: [
    {
      id: id(1),
      type: 'if_else',
      conditions: [
        { type: 'working_hours', working_hours_id: 'office', active: true },
        { type: 'urgency', urgency: 'interrupt' },
        { type: 'request', when },
      ],
      then: [{ id: id(2), type: 'defer', working_hours_id: 'office', standard_only: true }],
      else: [],
    },
    {
      id: id(3),
      type: 'level',
      targets: [{ type: 'user', id: id(4) }],
      escalate_after: '15m',
      raise_urgency: true,
    },
  ],
  repeat: { times: 2, after: '30m' },
};
const path = {
  name: 'On call',
  ...policy,
  nodes: [
    ...policy.nodes,
    {
      id: id(5),
      type: 'level',
      targets: [{ type: 'team', id: id(6) }, { type: 'broadcast' }],
      escalate_after: '1h',
    },
  ],
};

describe.each([
  ['PipelineDocument', pipeline, parsePipelineDocument],
  ['EscalationPathDocument', path, parseEscalationPathDocument],
  ['TeamEscalationPolicyDocument', policy, parseTeamPolicyDocument],
] as const)('%s', (component, document, read) => {
  const agreement = agreementOf(component, read);

  test('fits its schema and is accepted', () => {
    expect(agreement(document)).toEqual({ described: true, read: true });
  });

  test('is never accepted where its schema refuses it, for a change of any member', () => {
    const all = [...mutationsOf(document)].map((each) => ({ each, ...agreement(each) }));
    expect(all.length).toBeGreaterThan(200);
    expect(all.filter((one) => one.read && !one.described)).toEqual([]);
    // A schema cannot describe dependencies between members: literals by operator, ids, names of
    // working hours.
    const only = all.filter((one) => one.described && !one.read);
    expect(only.length).toBeLessThan(all.length / 3);
  });
});

test.each([
  ['a team in a policy', 'TeamEscalationPolicyDocument', { ...policy, nodes: path.nodes.slice(2) }],
  ['501 nodes', 'EscalationPathDocument', { name: 'P', nodes: Array(501).fill(policy.nodes[1]) }],
  ['no nodes', 'EscalationPathDocument', { name: 'P', nodes: [] }],
  ['1,001 blocks', 'PipelineDocument', { blocks: Array(1_001).fill(pipeline.blocks[0]) }],
  ['six attempts', 'PipelineDocument', { blocks: [{ ...pipeline.blocks[0], max_attempts: 6 }] }],
  ['an unknown type', 'PipelineDocument', { blocks: [{ ...pipeline.blocks[0], type: 'spell' }] }],
])('description and reader both refuse %s', (_what, component, document) => {
  const read = {
    PipelineDocument: parsePipelineDocument,
    EscalationPathDocument: parseEscalationPathDocument,
    TeamEscalationPolicyDocument: parseTeamPolicyDocument,
  }[component];
  if (!read) throw new Error(component);
  expect(agreementOf(component, read)(document)).toEqual({ described: false, read: false });
});
