/** Everything that may deceive a reader of the call, named with its place. */
import { warningsOf } from '../../../exact/foreign-text.tsx';
import type { SourceValue } from '../../../exact/source-values.ts';
import { requests as text } from '../../../text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';

/** More are no more useful. */
const MOST_FLAGS = 20;

export function flagsOf(request: RequestDetail, whole: SourceValue | undefined): string[] {
  const named: [string, string][] = [
    ['tool', request.tool],
    ['server', request.server ?? ''],
    ['agent', request.agent_name],
    ['instance', request.agent_instance_name],
  ];
  const flags = named.flatMap(([place, value]) => flagsIn(place, value));
  const stack = whole && !isPlain(whole.source) ? [{ place: '', value: whole }] : [];
  for (let next = stack.pop(); next && flags.length < MOST_FLAGS; next = stack.pop()) {
    const { place, value } = next;
    if (value.kind === 'string') flags.push(...flagsIn(place, value.characters));
    value.items.forEach((item, index) => stack.push({ place: `${place}/${index}`, value: item }));
    for (const { key, value: member } of value.members) {
      flags.push(...flagsIn(place === '' ? '/' : place, key));
      stack.push({ place: `${place}/${key}`, value: member });
    }
  }
  return [...new Set(flags)].slice(0, MOST_FLAGS);
}

/** Printable ASCII and no escapes of other characters: nothing to find in it, however large it is. */
const isPlain = (source: string): boolean =>
  /^[\n\t\u0020-\u007e]*$/.test(source) && !/\\(?:u|b|f|r)/.test(source);

const flagsIn = (place: string, value: string): string[] =>
  warningsOf(value).map((warning) => text.flagIn(place, warning));
