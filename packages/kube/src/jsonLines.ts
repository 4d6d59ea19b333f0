const NEWLINE = 0x0a;

/**
 * The JSON values of a stream, one a line, as watches send them. Takes a chunk only when the last line of the one before
 * was taken, so a slow reader slows the sender. A stream that breaks off within a line is an error.
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown, void> {
  // Lines are cut as bytes: a chunk may end within a character.
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8');
      pieces = [];
      start = end + 1;
      if (line.trim() !== '') yield JSON.parse(line);
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(pieces).toString('utf8');
  if (rest.trim() !== '') throw new Error(`the stream ended in the middle of a line: ${rest.slice(0, 80)}`);
}
