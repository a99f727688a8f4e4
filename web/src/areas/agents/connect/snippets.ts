/** Code that asks for approval, with the address and the token of the reader in it. Pure. */

export interface Access {
  /** Of the service, without a slash at the end. */
  readonly url: string;
  readonly token: string;
}

const HELPER = ({ url, token }: Access): string => `const url = '${url}';
const token = '${token}';

async function isApproved(tool, args, key = crypto.randomUUID()) {
  const headers = { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' };
  let response = await fetch(\`\${url}/api/aap/v1/requests\`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': key },
    body: JSON.stringify({ tool, arguments: args, timeout: '1h' }),
  });
  for (;;) {
    if (!response.ok) throw new Error(\`Countersign responded with \${response.status}\`);
    const { id, status, decision } = await response.json();
    if (status !== 'pending') return { isApproved: status === 'approved', status, note: decision?.note };
    response = await fetch(\`\${url}/api/aap/v1/requests/\${id}?wait=25s\`, { headers });
  }
}`;

/** What `enroll` does for a person, then the hook. */
const hook = ({ url, token }: Access): string => `mkdir -p ~/.config
(umask 077 && printf '%s' '${JSON.stringify({ url, token })}' > ~/.config/countersign-credential)
${hookCommands()}`;

/** Of the package `@countersign/hook`. Codex and Cursor have the same commands. */
export const hookCommands = (): string => `countersign-hook install claude
countersign-hook test claude`;

const mcp = (access: Access): string => `${HELPER(access)}

// In your MCP server, before a tool does its work:
server.registerTool('refund_payment', { inputSchema }, async (args) => {
  const { isApproved: may, note } = await isApproved('refund_payment', args);
  if (!may) return { isError: true, content: [{ type: 'text', text: note ?? 'Not approved.' }] };
  return await refundPayment(args);
});`;

const typescript = (access: Access): string => `${HELPER(access).replace(
  'isApproved(tool, args, key',
  'isApproved(tool: string, args: object, key',
)}

const { isApproved: may } = await isApproved('refund_payment', { payment_id: 'pay_81', amount: 120.5 });
if (may) console.log('Run the tool now. The approval ends at its expires_at.');`;

const python = ({ url, token }: Access): string => `import json, urllib.request, uuid

URL = '${url}'
TOKEN = '${token}'

def call(path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers |= {'authorization': f'Bearer {TOKEN}', 'content-type': 'application/json'}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=60) as response:
        return json.load(response)

def is_approved(tool, arguments):
    request = call('/api/aap/v1/requests', {'tool': tool, 'arguments': arguments, 'timeout': '1h'},
                   **{'idempotency-key': str(uuid.uuid4())})
    while request['status'] == 'pending':
        request = call(f"/api/aap/v1/requests/{request['id']}?wait=25s")
    return request['status'] == 'approved'

if is_approved('refund_payment', {'payment_id': 'pay_81', 'amount': 120.5}):
    print('Run the tool now. The approval ends at its expires_at.')`;

/** Asks once and waits, so that the terminal prints what a person decides. */
const curl = ({ url, token }: Access): string => `URL='${url}'
TOKEN='${token}'
member() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -1 | cut -d'"' -f4; }

ID=$(curl -sS --fail-with-body "$URL/api/aap/v1/requests" \\
  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -H "idempotency-key: test-$(date +%s)" \\
  -d '{"tool": "refund_payment", "timeout": "1h",
       "arguments": {"payment_id": "pay_81", "amount": 120.50, "currency": "EUR"}}' | member id)
echo "Asked. Decide it in Countersign: $URL/requests/$ID"
STATUS=pending
while [ "$STATUS" = pending ]; do
  STATUS=$(curl -sS --fail-with-body "$URL/api/aap/v1/requests/$ID?wait=25s" \\
    -H "authorization: Bearer $TOKEN" | member status)
done
echo "$STATUS"`;

/** Makes an instance with a separate credential: each replica does it once, when it starts. */
const replica = ({
  url,
  token,
}: Access): string => `curl -sS --fail-with-body '${url}/api/aap/v1/instances' \\
  -H 'authorization: Bearer ${token}' -H 'content-type: application/json' \\
  -H "idempotency-key: $HOSTNAME" \\
  -d "{\\"instance_metadata\\": {\\"host\\": \\"$HOSTNAME\\"}}"`;

export const RUNTIMES = ['curl', 'hook', 'mcp', 'typescript', 'python'] as const;
export type Runtime = (typeof RUNTIMES)[number];

export const snippetOf: Readonly<Record<Runtime | 'replica', (access: Access) => string>> = {
  curl,
  hook,
  mcp,
  typescript,
  python,
  replica,
};

/** What a terminal runs on the machine of the agent. */
export const enrollCommand = (url: string, slug: string): string =>
  `countersign-hook enroll --url ${url} --agent ${slug}`;
