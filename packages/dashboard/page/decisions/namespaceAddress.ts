/** The parameter of addresses that has the namespace, unless it is the one that a session begins with. */
const PARAMETER = 'ns';

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The namespace that the query of an address names; what cannot be one is none. */
export function namespaceIn(search: string): string | undefined {
  const name = new URLSearchParams(search).get(PARAMETER) ?? '';
  return NAME.test(name) ? name : undefined;
}

/** An address with another namespace, or with none. */
export function withNamespace(address: string, namespace: string | undefined): string {
  const [path = '', query = ''] = address.split(/\?(.*)/s);
  const parameters = query.split('&').filter((part) => part !== '' && !part.startsWith(`${PARAMETER}=`));
  if (namespace !== undefined) parameters.push(`${PARAMETER}=${namespace}`);
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

/** Where a link leads from an address: to a page of the same namespace, unless it names one itself. */
export function keepNamespace(to: string, search: string): string {
  const namespace = namespaceIn(search);
  const [, query = ''] = to.split('?');
  return namespace === undefined || namespaceIn(query) !== undefined ? to : withNamespace(to, namespace);
}
