/** What a request says so that nothing is changed; tells the user as well. */
export function dryRunBody({ dryRun = false }: { readonly dryRun?: boolean }): { dryRun?: string[] } {
  if (!dryRun) return {};
  console.log('Dry Run execution');
  return { dryRun: ['All'] };
}
