/** The way to a decision: the page of the request, in the person's browser. The tool itself decides nothing. */
import { z } from 'zod';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { parseExact, stringifyExact, type JsonText } from '../../src/platform/json/exact-json.ts';
import type { InnerResponse, Perform } from '../http/endpoint.ts';
import { asData, resultOf, said } from './results.ts';

const LONGEST_WAIT_SECONDS = 30;
const ASKED = 'review';

/** What the tool says of a request. `get_request` has the rest. */
const SHOWN = [
  ...['id', 'status', 'tool', 'server', 'decision', 'approval_expires_at', 'started_at', 'result'],
];

export const reviewRequest = {
  name: 'review_request',
  title: 'Send a person to a request',
  description:
    'Gives the link to the page where a person reviews the request, waits up to 30 seconds for their decision, and says the state. ' +
    'It decides nothing. Show the link to the person if your client did not open it. Call again to wait on.',
  input: z.strictObject({
    id: z.string().describe('Id of the request.'),
    wait_seconds: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_SECONDS)
      .default(LONGEST_WAIT_SECONDS)
      .describe('How long to wait for the decision. 0 returns the link at once.'),
  }),
  operations: ['getRequest'],
} as const;

interface Review {
  readonly perform: Perform;
  readonly linkTo: (id: string) => string;
  readonly context: ServerContext;
}

export async function review(
  { id, wait_seconds: seconds }: z.output<typeof reviewRequest.input>,
  { perform, linkTo, context }: Review,
): Promise<CallToolResult | InputRequiredResult> {
  const read = (query = {}) => perform({ operationId: 'getRequest', params: { id }, query });
  const before = await read();
  if (before.status >= 400 || !isPending(before)) return report(before, linkTo(id));
  const given = inputResponse(context.mcpReq.inputResponses, ASKED);
  if (given.kind === 'missing' && canOpenLinks(context))
    return inputRequired({
      inputRequests: {
        // Nothing of the request is in it: the client shows it as the words of the service.
        [ASKED]: inputRequired.elicitUrl({
          message: 'A request waits for your decision. Review it in Countersign.',
          url: linkTo(id),
        }),
      },
    });
  const isDeclined = given.kind === 'elicit' && given.action !== 'accept';
  if (isDeclined || seconds === 0) return report(before, linkTo(id));
  return report(await read({ wait: `${seconds}s` }), linkTo(id));
}

/** Known of each call alone, from revision 2026-07-28 of the protocol on. */
function canOpenLinks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.elicitation?.url !== undefined;
}

const members = ({ text }: InnerResponse) =>
  parseExact(text, { keep: SHOWN }) as Record<string, JsonText | undefined>;

const isPending = (response: InnerResponse): boolean =>
  !response.isTooLong && members(response)['status']?.value === 'pending';

function report(response: InnerResponse, link: string): CallToolResult {
  if (response.status >= 400 || response.isTooLong) return resultOf(response);
  const found = members(response);
  const shown = Object.fromEntries(SHOWN.map((name) => [name, found[name]]));
  const status = String(found['status']?.value);
  const rest = status === 'pending' ? ' No one has decided yet.' : '';
  return {
    content: [
      said(`The request is ${status}.${rest} Its page for people: ${link}`),
      ...asData(stringifyExact(shown)),
    ],
  };
}
