/** Lines of a stream as bytes, each with its line feed. The last one may have none. */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  longest: number = Infinity,
): AsyncGenerator<Buffer | 'too long'> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    length += part.length;
    if (length > longest) parts = [];
    else parts.push(part);
  };
  const end = () => {
    const line = length > longest ? 'too long' : Buffer.concat(parts);
    [parts, length] = [[], 0];
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', start)) {
      take(chunk.subarray(start, at + 1));
      yield end();
      start = at + 1;
    }
    take(chunk.subarray(start));
  }
  if (length > 0) yield end();
}
