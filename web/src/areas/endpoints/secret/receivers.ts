/** Receivers that check the signature and send each request to a person. Pure. */
export type Language = 'node' | 'python';

const node = `// npm install standardwebhooks
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.SIGNING_SECRET);

createServer(async (call, response) => {
  try {
    const { request } = webhook.verify(await text(call), call.headers);
    const reason = \`\${request.tool} needs a person.\`;
    response.end(JSON.stringify({ outcome: 'human', reason }));
  } catch {
    response.writeHead(401).end();
  }
}).listen(Number(process.env.PORT ?? 8090));`;

const python = `# pip install standardwebhooks
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["SIGNING_SECRET"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            call = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
            self.send_error(401)
            return
        reason = f"{call['request']['tool']} needs a person."
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"outcome": "human", "reason": reason}).encode())


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8090"))), Receiver).serve_forever()`;

export const RECEIVERS: Readonly<Record<Language, string>> = { node, python };
