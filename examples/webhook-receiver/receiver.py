# pip install standardwebhooks
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


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8090"))), Receiver).serve_forever()
