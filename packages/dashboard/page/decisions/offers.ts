import type { May, Offer, Permission } from './actions.ts';

/** Whether a button works: what is forbidden is told before what makes no sense now. An empty namespace is the cluster. */
export function offerOf(may: May, permission: Permission, namespace: string, obstacle?: string): Offer {
  if (may(permission, namespace) === false) return { isOffered: false, reason: missingText(permission, namespace) };
  return obstacle === undefined ? { isOffered: true } : { isOffered: false, reason: obstacle };
}

/** What a user lacks, in the words that an administrator can search for. */
export function missingText({ verb, group, resource, subresource }: Permission, namespace: string): string {
  const what = `${resource}${subresource ? `/${subresource}` : ''}${group ? `.${group}` : ''}`;
  return `You are not allowed to ${verb} ${what}${namespace ? ` in namespace ${namespace}` : ''}.`;
}
