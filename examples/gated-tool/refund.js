/**
 * A tool that runs only with an approval. `node refund.js pay_81 12.50` asks for one.
 *
 * It reads COUNTERSIGN_URL and COUNTERSIGN_TOKEN, or the file of `countersign enroll`.
 */
import { Countersign, NotApproved, Unavailable } from '@countersign/sdk';

const [payment = 'pay_81', amount = '12.50', callId] = process.argv.slice(2);
const args = { payment_id: payment, amount: Number(amount) };
const threadId = 'thread-1';

const countersign = new Countersign();
const call = { tool: 'refund_payment', arguments: args, session: threadId, callId };
const result = await countersign.run(call, (approved) => refundPayment(approved)).catch(forModel);
console.log(result);

/** Stands for the payment provider. */
async function refundPayment({ payment_id: id, amount: refunded }) {
  return `refunded ${refunded} of ${id}`;
}

/** What the model gets in the place of the result. */
function forModel(error) {
  if (!(error instanceof NotApproved || error instanceof Unavailable)) throw error;
  process.exitCode = 1;
  return error.toModel;
}
