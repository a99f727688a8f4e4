/** Reads the text of a body. Every refusal names the place. */
import { isStorable, STORABLE_RULE } from '../../src/domain/labels.ts';
import { invalid, MAX_ISSUES, type Issue } from '../../src/domain/errors.ts';
import {
  ExactJsonError,
  JsonText,
  parseExact,
  pointerToken,
} from '../../src/platform/json/exact-json.ts';
import { isExactObject } from '../../src/platform/json/exact-values.ts';

/** Levels below the outermost value. A document may have conditions of 32 levels in branches of 32 levels. */
const DEEPEST = { body: 100, document: 200 } as const;

export interface BodyRules {
  readonly bodyLimit?: number | undefined;
  /** The most values in it, in all levels. */
  readonly mostValues?: number | undefined;
  /** Top-level members passed on as JsonText. */
  readonly exact?: readonly string[] | undefined;
  /** Pointers to the parts that are passed on as JsonText when the body is large. */
  readonly documents?: readonly string[] | undefined;
  /** Pointers below which a string may contain what cannot be stored. */
  readonly verbatim?: readonly string[] | undefined;
}

export interface KnownMembers {
  /** The members of the body. The first other one is refused. Default: all are read. */
  readonly known?: readonly string[] | undefined;
}

/**
 * The parsed body. Refuses NUL and lone surrogates in every string that is neither exact nor
 * verbatim.
 */
export function parseBody(
  text: string,
  { exact = [], documents, verbatim = [], mostValues, known }: BodyRules & KnownMembers,
): unknown {
  const maxDepth = documents ? DEEPEST.document : DEEPEST.body;
  let value: unknown;
  try {
    const isClosed = known !== undefined;
    value = parseExact(text, { maxDepth, keep: exact, read: known, isClosed, mostValues });
  } catch (error) {
    if (!(error instanceof ExactJsonError)) throw error;
    const code = error.code === 'too_deep' ? 'nesting_too_deep' : error.code;
    throw invalid([{ pointer: error.pointer, code, message: error.message }]);
  }
  const issues = unstorableStrings(value, { text, verbatim });
  if (issues.length > 0) throw invalid(issues);
  return value;
}

/**
 * Only an escape can bring NUL or half a surrogate pair into UTF-8, so text without escapes is not
 * searched.
 */
function unstorableStrings(
  value: unknown,
  { text, verbatim }: { readonly text: string; readonly verbatim: readonly string[] },
): Issue[] {
  const issues: Issue[] = [];
  const check = (string: string, pointer: string, message: string): void => {
    if (!isStorable(string) && issues.length < MAX_ISSUES)
      issues.push({ pointer, code: 'invalid_string', message });
  };
  const visit = (item: unknown, pointer: string): void => {
    if (verbatim.includes(pointer)) return;
    if (typeof item === 'string') check(item, pointer, STORABLE_RULE);
    else if (Array.isArray(item)) {
      for (const [index, one] of item.entries()) visit(one, `${pointer}/${index}`);
    } else if (isExactObject(item) && !((item as unknown) instanceof JsonText)) {
      for (const [key, member] of Object.entries(item)) {
        const at = `${pointer}/${pointerToken(key)}`;
        check(key, at, `a member name ${STORABLE_RULE}`);
        visit(member, at);
      }
    }
  };
  if (text.includes('\\u')) visit(value, '');
  return issues;
}
