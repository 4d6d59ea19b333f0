/** Resolves when `condition` holds. Looks again after every turn of the event loop; the test's own time-out ends it. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
