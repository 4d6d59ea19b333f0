/** What is missing, and what is there that should not be. */
export function differences(what: string, found: readonly string[], wanted: readonly string[]): string[] {
  const missing = wanted.filter((each) => !found.includes(each));
  const surplus = found.filter((each) => !wanted.includes(each));
  return [
    ...missing.map((each) => `${what}: ${each} is missing`),
    ...surplus.map((each) => `${what}: ${each} should not be there`),
  ];
}
