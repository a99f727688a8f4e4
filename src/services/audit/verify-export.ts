/** Verifies an exported audit log as it is read. Memory does not grow with the file. */
import {
  BrokenProof,
  ExportVerifier,
  type KnownProof,
  type VerifiedExport,
} from '../../domain/audit/verify.ts';

const LINE_FEED = 0x0a;

/** Throws `BrokenProof`. */
export async function verifyExport(
  chunks: AsyncIterable<Buffer>,
  known: KnownProof,
): Promise<VerifiedExport> {
  const verifier = new ExportVerifier(known);
  /** The beginning of a line that is not complete. */
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      const rest = chunk.subarray(from, to);
      verifier.line(pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]));
      pieces = [];
      from = to + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  // The end says what is missing. Where nothing is, what follows the last line break was added.
  const verified = verifier.end();
  if (pieces.length > 0) throw new BrokenProof('The file does not end with a line break.');
  return verified;
}
