/**
 * Slack's documented limits for blocks, counted as Slack counts, with `&`, `<` and `>` as entities.
 */

type Part = Readonly<Record<string, unknown>>;

const LIMITS = {
  text: 40_000,
  blocks: 50,
  header: 150,
  section: 3_000,
  fields: 10,
  field: 2_000,
  context: 10,
  actions: 25,
  button: 75,
  value: 2_000,
  url: 3_000,
} as const;

/** One word for each exceeded limit, empty where Slack would accept the message. */
export function passedLimits({
  text,
  blocks,
}: {
  readonly text: string;
  readonly blocks: readonly Part[];
}): string[] {
  const passed: string[] = [];
  const check = (what: keyof typeof LIMITS, length: number, least = 0): void => {
    if (length > LIMITS[what] || length < least) passed.push(`${what} of ${length}`);
  };
  check('text', lengthOf(text));
  check('blocks', blocks.length, 1);
  for (const block of blocks) {
    switch (block['type']) {
      case 'header':
        check('header', lengthOf(textOf(block)), 1);
        break;
      case 'section':
        if (block['text'] !== undefined) check('section', lengthOf(textOf(block)), 1);
        check('fields', partsOf(block, 'fields').length);
        for (const field of partsOf(block, 'fields'))
          check('field', lengthOf(String(field['text'])), 1);
        break;
      case 'rich_text':
        for (const section of partsOf(block, 'elements')) {
          const texts = partsOf(section, 'elements').map((element) =>
            lengthOf(String(element['text'])),
          );
          for (const each of [...texts, texts.reduce((sum, length) => sum + length, 0)])
            check('section', each, 1);
        }
        break;
      case 'context':
        check('context', partsOf(block, 'elements').length, 1);
        for (const element of partsOf(block, 'elements'))
          check('section', lengthOf(String(element['text'])), 1);
        break;
      case 'actions':
        check('actions', partsOf(block, 'elements').length, 1);
        for (const button of partsOf(block, 'elements')) {
          check('button', lengthOf(textOf(button)), 1);
          check('value', lengthOf(String(button['value'] ?? '')));
          check('url', String(button['url'] ?? '').length);
        }
        break;
      default:
        passed.push(`a block of type ${String(block['type'])}`);
    }
  }
  return passed;
}

const ENTITIES = { '&': 5, '<': 4, '>': 4 } as const;

function lengthOf(text: string): number {
  return text
    .split('')
    .reduce((sum, unit) => sum + (ENTITIES[unit as keyof typeof ENTITIES] ?? 1), 0);
}

function partsOf(part: Part, name: string): readonly Part[] {
  const parts = part[name];
  return Array.isArray(parts) ? (parts as readonly Part[]) : [];
}

const textOf = (part: Part): string => String((part['text'] as Part | undefined)?.['text'] ?? '');
