import { type Condition, isDeleting, mergeConditions, type ServiceCIDR } from '@vireo/api';
import { isCidr, isInCidr } from '../../strategies/core/addresses.ts';

/** Keeps a range until no Service has an address of it. */
export const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

const READY = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
const TERMINATING = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

/** Whether an address would be in no range if this one went. */
export const isNeeded = (range: ServiceCIDR, others: readonly ServiceCIDR[], addresses: readonly string[]): boolean =>
  addresses.some((address) => isIn(address, range) && !others.some((other) => isIn(address, other)));

const isIn = (address: string, { spec }: ServiceCIDR): boolean =>
  (spec?.cidrs ?? []).some((cidr) => isCidr(cidr) && isInCidr(address, cidr));

/** The conditions that a range should show. */
export const conditionsOf = (range: ServiceCIDR, now: Date): Condition[] =>
  mergeConditions(range.status?.conditions, [isDeleting(range) ? TERMINATING : READY], now);
