/**
 * Keeps the details of an error small, whatever a caller sent: a response names a problem and does
 * not repeat the input.
 */
import { MAX_ISSUES, type Issue } from '../../../src/domain/errors.ts';
import { stringifyExact } from '../../../src/platform/json/exact-json.ts';

type Details = Readonly<Record<string, unknown>>;

/** Leaves room for the rest of an error response within 16 KiB. */
const MAX_BYTES = 15 * 1024;
/** Bytes of a pointer that an issue repeats, without the mark of one that was cut. */
const MAX_POINTER_BYTES = 1_024;
const CUT = '…';

/** The details with lists cut at 100 entries, and further until all of them fit. */
export function boundedDetails(details: Details): Details {
  for (let most = MAX_ISSUES; most > 0; most = Math.floor(most / 2)) {
    const bounded = withShortLists(details, most);
    if (Buffer.byteLength(stringifyExact(bounded)) <= MAX_BYTES) return bounded;
  }
  return {};
}

function withShortLists(details: Details, most: number): Details {
  const members = Object.entries(details).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value] as const;
    const list = value.slice(0, most) as unknown[];
    return [name, name === 'issues' ? (list as Issue[]).map(withShortPointer) : list] as const;
  });
  return Object.fromEntries(members);
}

/** A pointer too long to repeat is cut. */
function withShortPointer(issue: Issue): Issue {
  const bytes = Buffer.from(issue.pointer);
  if (bytes.length <= MAX_POINTER_BYTES) return issue;
  // As a stream, it leaves out the half of a character at the end; the half of an escape is left out too.
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_POINTER_BYTES), { stream: true });
  return { ...issue, pointer: start.replace(/~$/, '') + CUT };
}
