/**
 * Which keys a list of filters leaves out. A filter is a key in which `*` stands for anything; one that begins with `!`
 * leaves out what it fits, whatever the others say. Without a list everything stays.
 *
 * @example
 * leftOut(['app', 'team/a', 'team/b'], ['team/*', '!team/b']) // ['app', 'team/b']
 */
export function leftOut(keys: readonly string[], filters: readonly string[] | undefined): string[] {
  if (!filters || filters.length === 0) return [];
  const [excluding, including] = [filters.filter(isExclusion), filters.filter((filter) => !isExclusion(filter))];
  const refuses = excluding.map((filter) => pattern(filter.slice(1)));
  // A list of exclusions only is about them only.
  const keeps = including.length > 0 ? including.map(pattern) : [/^/];
  return keys.filter((key) => refuses.some((each) => each.test(key)) || !keeps.some((each) => each.test(key)));
}

const isExclusion = (filter: string): boolean => filter.startsWith('!');

const pattern = (filter: string): RegExp => new RegExp(`^${filter.split('*').map(literally).join('.*')}$`);

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
