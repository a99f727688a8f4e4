/** Everything that may deceive a reader of the call, named with its place. */
import type { SourceValue } from '../../platform/json/source-values.ts';
import { CONCEALED, NOTHING_HIDDEN, shownCharacters, type Hidden } from './hidden.ts';
import { warningsOf, type Warning } from './warnings.ts';

export interface Flag {
  readonly key: string;
  /** `tool`, `server`, `agent`, `instance`, or a JSON pointer made of foreign keys. */
  readonly place: string;
  readonly isContext: boolean;
  readonly warning: Warning;
}

/** The names that a call has in addition to its values. */
export interface NamedCall {
  readonly tool: string;
  readonly server?: string | undefined;
  readonly agentName: string;
  readonly agentInstanceName: string;
}

interface Values {
  readonly whole: SourceValue | undefined;
  readonly context: SourceValue | undefined;
  /** What is hidden in each. */
  readonly hidden?: Hidden;
  readonly hiddenInContext?: Hidden;
}

/** Each one once, in the order in which a reader finds them. */
export function flagsOf(
  call: NamedCall,
  { whole, context, hidden = NOTHING_HIDDEN, hiddenInContext = NOTHING_HIDDEN }: Values,
): Flag[] {
  const flags = new Map<string, Flag>();
  const add = (place: string, value: string, { isContext = false, shown = value } = {}): void => {
    const words = shown === value ? undefined : new Set(warningsOf(shown).map(wordOf));
    for (const found of warningsOf(value)) {
      // No warning names a word that is hidden.
      const isHidden = found.kind !== 'hidden' && words?.has(found.word) === false;
      const warning = isHidden ? { ...found, word: CONCEALED } : found;
      const key = `${isContext} ${place} ${warning.kind} ${wordOf(warning)}`;
      flags.set(key, { key, place, isContext, warning });
    }
  };
  add('tool', call.tool);
  add('server', call.server ?? '');
  add('agent', call.agentName);
  add('instance', call.agentInstanceName);
  if (whole)
    visitTexts(whole, hidden, (place, value, shown) => {
      add(place, value, { shown });
    });
  if (context)
    visitTexts(context, hiddenInContext, (place, value, shown) => {
      add(place, value, { isContext: true, shown });
    });
  return [...flags.values()];
}

const wordOf = (warning: Warning): string => (warning.kind === 'hidden' ? '' : warning.word);

/**
 * All strings and keys with their JSON pointers, in the order of the text. What is inside a
 * hidden value has the pointer of that value, because keys in it are hidden, too.
 */
function visitTexts(
  outermost: SourceValue,
  hidden: Hidden,
  visit: (pointer: string, text: string, shown: string) => void,
): void {
  const first = { pointer: '', key: '', value: outermost, isInside: false };
  const stack = isPlain(outermost.source) ? [] : [first];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { pointer, key, value, isInside } = next;
    const isHidden = isInside || hidden.values.has(value.offset);
    visit(pointer, key, isInside ? '' : key);
    if (value.kind === 'string')
      visit(pointer, value.characters, isHidden ? '' : shownCharacters(value, hidden));
    const below = (name: string) => (isHidden ? pointer : `${pointer}/${name}`);
    const members = value.members.map((member) => ({
      ...member,
      pointer: below(member.key.replaceAll('~', '~0').replaceAll('/', '~1')),
      isInside: isHidden,
    }));
    const items = value.items.map((item, index) => ({
      pointer: below(String(index)),
      key: '',
      value: item,
      isInside: isHidden,
    }));
    for (const child of [...members, ...items].reverse()) stack.push(child);
  }
}

/** Printable ASCII and no escapes of other characters: nothing to find in it, however large it is. */
const isPlain = (source: string): boolean =>
  /^[\n\t\u0020-\u007e]*$/.test(source) && !/\\[^"\\/nt]|xn--/i.test(source);
