import { committedComponents, compilerOf } from '../openapi-schemas.ts';
import type { JsonNode } from './json-source.ts';
import { demand, type AdapterRule } from './rules.ts';

let compiler: ReturnType<typeof compilerOf> | undefined;

/** Compares a value with a schema of the committed description, and returns it as `JSON.parse` reads it. */
export function checkShape<Shape>(
  name: 'AapApprovalRequest' | 'Error' | 'ValidationDetails',
  { source }: JsonNode,
  rule: AdapterRule = 'shape',
): Shape {
  compiler ??= compilerOf(committedComponents());
  const validate = compiler.validatorOf({ $ref: `#/components/schemas/${name}` });
  const value: unknown = JSON.parse(source);
  demand(validate(value), rule, `${compiler.errorsOf(validate)} in ${source}`);
  return value as Shape;
}
