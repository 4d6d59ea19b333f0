/** What Kubernetes' quantities look like to a server that checks them by a pattern. */
const OF_QUANTITIES = '[KMGTPE]i';

/** What a server says about a value, without what only its programmers read: the path of the field and a pattern. */
export function plainComplaint(text: string): string {
  const [, value = '', pattern = ''] = /^(.*?)\S+ in body should match '(.*)'$/s.exec(text) ?? [];
  if (pattern === '') return text;
  const wanted = pattern.includes(OF_QUANTITIES)
    ? 'must be a number with a unit, such as 64Mi, 2Gi or 500M'
    : 'does not have the form that the server wants';
  return `${value}${wanted}.`;
}
