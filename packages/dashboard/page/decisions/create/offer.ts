import type { May, Offer, Permission } from '../actions.ts';
import { offerSomewhere } from '../offers.ts';

const CREATE: Permission = { verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines' };

/** Whether the form for a new machine is offered. */
export const createOffer = (may: May, namespace: string | undefined): Offer => offerSomewhere(may, CREATE, namespace);
