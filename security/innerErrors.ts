/** What a server has logged as a fault of its own; undefined: nothing. */
export function innerErrors(output: string): string | undefined {
  const at = output.search(/^\S+Z error /m);
  return at < 0 ? undefined : `the server has logged a fault of its own: ${output.slice(at, at + 600)}`;
}
