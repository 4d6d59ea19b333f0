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
  const refuses = excluding.map((filter) => fits(filter.slice(1)));
  // A list of exclusions only is about them only.
  const keeps = including.length > 0 ? including.map(fits) : [() => true];
  return keys.filter((key) => refuses.some((fit) => fit(key)) || !keeps.some((fit) => fit(key)));
}

const isExclusion = (filter: string): boolean => filter.startsWith('!');

/**
 * Each part between two stars is looked for once, after the part before it: the time is that of one pass for each part,
 * however many stars there are. A regular expression with as many would try every way to share the key among them.
 */
function fits(filter: string): (key: string) => boolean {
  const [first = '', ...rest] = filter.split('*');
  const last = rest.pop();
  if (last === undefined) return (key) => key === filter;
  const between = rest.filter((part) => part !== '');
  return (key) => {
    if (!key.startsWith(first)) return false;
    let at = first.length;
    for (const part of between) {
      const found = key.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return key.length - last.length >= at && key.endsWith(last);
  };
}
