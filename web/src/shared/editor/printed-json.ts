/** JSON laid out for people. Only the white space between its parts changes. */
import { readSource, type SourceValue } from '../../../../src/platform/json/source-values.ts';

const STEP = '  ';
const MOST_COLUMNS = 100;

/** `indent`: that of the line on which the value begins. Text that is no JSON stays as it is. */
export function printedJson(source: string, indent = ''): string {
  const value = readSource(source);
  return value ? printed(value, indent) : source;
}

function printed(value: SourceValue, indent: string): string {
  if (value.size === 0) return value.kind === 'object' ? '{}' : scalarOf(value);
  const line = oneLine(value);
  if (line !== undefined && indent.length + line.length <= MOST_COLUMNS) return line;
  const inside = indent + STEP;
  const entries = [...value.children()].map(
    ({ keySource, value: child }) =>
      `${inside}${keySource === undefined ? '' : `${keySource}: `}${printed(child, inside)}`,
  );
  const [open, close] = bracketsOf(value);
  return `${open}\n${entries.join(',\n')}\n${indent}${close}`;
}

const scalarOf = (value: SourceValue): string => (value.kind === 'array' ? '[]' : value.source);

const bracketsOf = ({ kind }: SourceValue): readonly [string, string] =>
  kind === 'object' ? ['{', '}'] : ['[', ']'];

/** Undefined where objects or lists of lists are inside. */
function oneLine(value: SourceValue): string | undefined {
  if (value.length > 4 * MOST_COLUMNS) return undefined;
  const texts: string[] = [];
  for (const { keySource, value: child } of value.children()) {
    const isFlat = child.size === 0 || (child.kind === 'array' && value.kind === 'object');
    const text = isFlat ? flatText(child) : undefined;
    if (text === undefined) return undefined;
    texts.push(keySource === undefined ? text : `${keySource}: ${text}`);
  }
  const [open, close] = bracketsOf(value);
  const space = value.kind === 'object' ? ' ' : '';
  return `${open}${space}${texts.join(', ')}${space}${close}`;
}

function flatText(value: SourceValue): string | undefined {
  if (value.size === 0) return value.kind === 'object' ? '{}' : scalarOf(value);
  return oneLine(value);
}
