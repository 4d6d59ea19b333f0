const PREFIX = 'system:serviceaccount:';

/** The user that a ServiceAccount's token names. */
export const serviceAccountUsername = (namespace: string, name: string): string => `${PREFIX}${namespace}:${name}`;

/** The groups that every ServiceAccount of a namespace is in. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** The ServiceAccount that a user name means, if it means one. */
export function parseServiceAccountUsername(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(PREFIX)) return undefined;
  const [namespace, name, ...rest] = username.slice(PREFIX.length).split(':');
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}
