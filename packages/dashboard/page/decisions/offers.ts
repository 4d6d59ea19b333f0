import type { May, Offer, Permission } from './actions.ts';

/** Whether a button works: what is forbidden is told before what makes no sense now. An empty namespace is the cluster. */
export function offerOf(may: May, permission: Permission, namespace: string, obstacle?: string): Offer {
  if (may(permission, namespace) === false) return { isOffered: false, reason: missingText(permission, namespace) };
  return obstacle === undefined ? { isOffered: true } : { isOffered: false, reason: obstacle };
}

/**
 * Whether something can be made in the chosen namespace, or in any if none is chosen. Who may not everywhere may well
 * somewhere, and is asked to choose.
 */
export function offerSomewhere(may: May, permission: Permission, namespace: string | undefined): Offer {
  const offer = offerOf(may, permission, namespace ?? '');
  return offer.isOffered || namespace !== undefined
    ? offer
    : { isOffered: false, reason: 'You are not allowed to do that in all namespaces: choose one at the top.' };
}

/** What a user lacks, in the words that an administrator can search for. */
export function missingText({ verb, group, resource, subresource }: Permission, namespace: string): string {
  const what = `${resource}${subresource ? `/${subresource}` : ''}${group ? `.${group}` : ''}`;
  return `You are not allowed to ${verb} ${what}${namespace ? ` in namespace ${namespace}` : ''}.`;
}
