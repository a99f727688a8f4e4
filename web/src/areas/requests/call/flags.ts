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
  /** Where sensitive values begin in the text of `whole`. */
  readonly sensitive?: ReadonlySet<number> | undefined;
}

/** What is drawn of a sensitive value. */
const CONCEALED = '•••';

/** Each one once, in the order in which a reader finds them. */
export function flagsOf(
  request: RequestDetail,
  { whole, context, sensitive = new Set() }: Values,
): Flag[] {
  const flags = new Map<string, Flag>();
  const add = (
    place: string,
    value: string,
    { isContext = false, isSensitive = false } = {},
  ): void => {
    for (const found of warningsOf(value)) {
      const warning = isSensitive && found.kind === 'mixed' ? { ...found, word: CONCEALED } : found;
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
    visitTexts(whole, sensitive, (place, value, isSensitive) => {
      add(place, value, { isSensitive });
    });
  if (context)
    visitTexts(context, new Set(), (place, value) => {
      add(place, value, { isContext: true });
    });
  return [...flags.values()];
}

/**
 * All strings and keys with their JSON pointers, in the order of the text. What is inside a
 * sensitive value has the pointer of that value, because keys in it are sensitive, too.
 */
function visitTexts(
  outermost: SourceValue,
  sensitive: ReadonlySet<number>,
  visit: (pointer: string, text: string, isSensitive: boolean) => void,
): void {
  const first = { pointer: '', key: '', value: outermost, isInside: false };
  const stack = isPlain(outermost.source) ? [] : [first];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { pointer, key, value, isInside } = next;
    const isSensitive = isInside || sensitive.has(value.offset);
    visit(pointer, key, isInside);
    if (value.kind === 'string') visit(pointer, value.characters, isSensitive);
    const below = (name: string) => (isSensitive ? pointer : `${pointer}/${name}`);
    const members = value.members.map((member) => ({
      ...member,
      pointer: below(member.key.replaceAll('~', '~0').replaceAll('/', '~1')),
      isInside: isSensitive,
    }));
    const items = value.items.map((item, index) => ({
      pointer: below(String(index)),
      key: '',
      value: item,
      isInside: isSensitive,
    }));
    for (const child of [...members, ...items].reverse()) stack.push(child);
  }
}

/** Printable ASCII and no escapes of other characters: nothing to find in it, however large it is. */
const isPlain = (source: string): boolean =>
  /^[\n\t\u0020-\u007e]*$/.test(source) && !/\\[^"\\/nt]/.test(source);
