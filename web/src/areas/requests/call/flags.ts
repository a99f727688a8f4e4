/** Everything that may deceive a reader of the call, named with its place. */
import type { SourceValue } from '../../../exact/source-values.ts';
import { warningsOf, type Warning } from '../../../exact/warnings.ts';
import { requests as text } from '../../../text/requests.ts';
import type { RequestDetail } from '../requests-data.ts';

export interface Flag {
  readonly key: string;
  /** Text of ours, or a JSON pointer made of foreign keys. */
  readonly place: string;
  readonly isContext: boolean;
  readonly warning: Warning;
}

interface Values {
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
}

/** Each one once, in the order in which a reader finds them. */
export function flagsOf(request: RequestDetail, { whole, context }: Values): Flag[] {
  const flags = new Map<string, Flag>();
  const add = (place: string, value: string, isContext = false): void => {
    for (const warning of warningsOf(value)) {
      const word = warning.kind === 'mixed' ? warning.word : '';
      const key = `${isContext} ${place} ${warning.kind} ${word}`;
      flags.set(key, { key, place, isContext, warning });
    }
  };
  add(text.place.tool, request.tool);
  add(text.place.server, request.server ?? '');
  add(text.place.agent, request.agent_name);
  add(text.place.instance, request.agent_instance_name);
  if (whole)
    visitTexts(whole, (place, value) => {
      add(place, value);
    });
  if (context)
    visitTexts(context, (place, value) => {
      add(place, value, true);
    });
  return [...flags.values()];
}

/** All strings and keys with their JSON pointers, in the order of the text. */
function visitTexts(outermost: SourceValue, visit: (pointer: string, text: string) => void): void {
  const stack = isPlain(outermost.source) ? [] : [{ pointer: '', key: '', value: outermost }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { pointer, key, value } = next;
    visit(pointer, key);
    if (value.kind === 'string') visit(pointer, value.characters);
    const members = value.members.map((member) => ({
      pointer: `${pointer}/${member.key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ...member,
    }));
    const items = value.items.map((item, index) => ({
      pointer: `${pointer}/${index}`,
      ...{ key: '', value: item },
    }));
    for (const child of [...members, ...items].reverse()) stack.push(child);
  }
}

/** Printable ASCII and no escapes of other characters: nothing to find in it, however large it is. */
const isPlain = (source: string): boolean =>
  /^[\n\t\u0020-\u007e]*$/.test(source) && !/\\[^"\\/nt]/.test(source);
