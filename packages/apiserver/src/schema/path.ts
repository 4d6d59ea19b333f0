/** The path of a field below `path`. */
export const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
