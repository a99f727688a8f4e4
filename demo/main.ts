/**
 * `npm run demo`: an agent asks before it pays a refund, waits for the decision, and pays only with an approval. It reads
 * COUNTERSIGN_URL and COUNTERSIGN_TOKEN, or the file of `countersign enroll`. Exits with 0 when the refund was paid.
 */
import { Countersign, NotApproved, Unavailable } from '../sdk/typescript/src/index.ts';

const call = {
  tool: 'refund_payment',
  arguments: { payment_id: 'pay_83', amount: 249.95, currency: 'EUR' },
  reasoning:
    'This is a demo, and no money moves. The customer sent back a lamp that arrived broken.',
  session: `demo-${process.pid}`,
  timeout: '10m',
};

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const countersign = new Countersign({
    onPending: ({ reviewUrl }) => {
      say(`No rule decided. Approve or deny it within 10 minutes at ${reviewUrl}`);
    },
  });
  say(`May ${call.tool} run with ${JSON.stringify(call.arguments)}?`);
  const paid = await countersign.run(call, (approved) => `Paid ${approved.argumentsText}`);
  say(`Approved. ${paid}, if this were no demo.`);
} catch (error) {
  if (!(error instanceof NotApproved || error instanceof Unavailable)) throw error;
  say(`Not paid. The model is told: ${error.toModel}`);
  process.exitCode = 1;
}
