/** The first key after everything below `prefix`, which ends in a slash: `0` follows `/` in the character table. */
export const endOfPrefix = (prefix: string): string => `${prefix.slice(0, -1)}0`;

/** Whether `prefix` stands for one exact key. */
export const isExactKey = (prefix: string): boolean => prefix !== '' && !prefix.endsWith('/');

/** Whether a list or watch of `prefix` sees `key`. */
export const covers = (prefix: string, key: string): boolean =>
  isExactKey(prefix) ? key === prefix : key.startsWith(prefix);

/** Every prefix that covers `key`, from the empty one to the key itself. */
export function prefixesOf(key: string): string[] {
  const prefixes = [''];
  for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
    prefixes.push(key.slice(0, slash + 1));
  }
  prefixes.push(key);
  return prefixes;
}

/** `group/resource/` of a key or prefix; undefined when a prefix is shorter than that. */
export function resourceOf(key: string): string | undefined {
  const slash = key.indexOf('/', key.indexOf('/') + 1);
  return slash !== -1 ? key.slice(0, slash + 1) : undefined;
}

/** `group/resource/` of a full key; throws on what is none. */
export function resourceOfKey(key: string): string {
  const resource = resourceOf(key);
  if (resource === undefined || key.endsWith('/')) {
    throw new TypeError(`${key} is not a key: it must be group/resource/name or group/resource/namespace/name`);
  }
  return resource;
}
