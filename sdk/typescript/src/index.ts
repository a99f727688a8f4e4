/** Asks Countersign before a tool call runs, and runs it only with an approval. */
export { JsonText, type Arguments } from './arguments.ts';
export type {
  Approved,
  AskOptions,
  CallResult,
  Options,
  RunOptions,
  StartOptions,
  Ticket,
  ToolCall,
} from './calls.ts';
export { Countersign } from './countersign.ts';
export {
  NotApproved,
  Unavailable,
  type NotApprovedStatus,
  type UnavailableReason,
} from './errors.ts';
export { fileLedger, memoryLedger, type Ledger } from './state/ledger.ts';
