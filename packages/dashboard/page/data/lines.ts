/** Cuts a stream of text into JSON values, one a line; the rest of a line waits for its end. */
export function jsonLines(onValue: (value: unknown) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onValue(JSON.parse(line));
  };
}
