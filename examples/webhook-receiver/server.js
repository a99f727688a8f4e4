/** Answers for a rule: approves refunds up to 100, and sends larger ones to a person. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { SIGNING_SECRET = '', PORT = '8090', HOST = '127.0.0.1' } = process.env;
const webhook = new Webhook(SIGNING_SECRET);

function answerTo({
  request: {
    tool,
    arguments: { amount },
  },
}) {
  if (tool !== 'refund_payment') return { outcome: 'next' };
  const isSmall = typeof amount === 'number' && amount > 0 && amount <= 100;
  return isSmall
    ? { outcome: 'approve', reason: 'Up to 100.' }
    : { outcome: 'human', reason: 'Not up to 100.' };
}

createServer(async (call, response) => {
  try {
    const payload = webhook.verify(await text(call), call.headers);
    response.end(JSON.stringify(answerTo(payload)));
  } catch {
    response.writeHead(401).end();
  }
}).listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${PORT}`));
