/** Why guests have no addresses and bridges in tests that this user runs; undefined for root. */
export const whyNotRoot: string | undefined =
  process.getuid?.() === 0 ? undefined : 'only root can make network devices for guests';
