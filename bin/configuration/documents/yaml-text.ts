/** Writes exact values as YAML that `readYaml` reads back to the same values, digits included. */
import { Document, Scalar, type CollectionTag, type ScalarTag } from 'yaml';
import { ExactNumber, type ExactValue } from '../../../src/platform/json/exact-values.ts';

/** A number whose spelling JavaScript would change. */
const exactNumberTag: ScalarTag = {
  identify: (value) => value instanceof ExactNumber,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  resolve: (source) => source,
  stringify: ({ value }) => (value as ExactNumber).source,
};

/** Ends with a line break. */
export function yamlText(value: ExactValue): string {
  const document = new Document(plain(value), {
    ...{ version: '1.2', schema: 'core', aliasDuplicateObjects: false },
    // Readers of YAML 1.1 take `no` and `on` for booleans, so such text is quoted.
    compat: 'yaml-1.1',
    customTags: (tags: (ScalarTag | CollectionTag | string)[]) =>
      [exactNumberTag, ...tags] as never,
  });
  return document.toString({ lineWidth: 0, ...{ indent: 2, blockQuote: 'literal' } });
}

/** Lines that a block shows as they are. */
const LITERAL = /^[\x21-\x7e\u00a1-\ud7ff\ue000-\ufefe][\x20-\x7e\u00a1-\ud7ff\ue000-\ufefe]*$/;

/** Text of several lines is a block where nothing in it is invisible, and quoted otherwise. */
function textOf(value: string): string | Scalar {
  if (!value.includes('\n')) return value;
  const scalar = new Scalar(value);
  const lines = value.replace(/\n$/, '').split('\n');
  const isLiteral =
    LITERAL.test(lines[0] ?? '') && lines.every((line) => line === '' || LITERAL.test(line));
  scalar.type = isLiteral ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  return scalar;
}

/** Objects with a prototype, which the library expects. A `Map` keeps names such as `__proto__` and their order. */
function plain(value: ExactValue): unknown {
  if (typeof value === 'string') return textOf(value);
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map(plain);
  return new Map(Object.keys(value).map((key) => [key, plain(value[key] ?? null)]));
}
