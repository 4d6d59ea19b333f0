import type { May, Offer } from '../actions.ts';
import { DATA_VOLUMES, type Has } from '../features.ts';
import { offerSomewhere } from '../offers.ts';
import { permissionTo } from './deleting.ts';

const SEND = { verb: 'create', group: 'upload.cdi.kubevirt.io', resource: 'uploadtokenrequests' };

/** Whether volumes can be made: imported, cloned, or empty ones. */
export const makingOffer = (may: May, has: Has, namespace: string | undefined): Offer =>
  has(DATA_VOLUMES) === false
    ? { isOffered: false, reason: 'This server has no DataVolumes: CDI is not installed.' }
    : offerSomewhere(may, permissionTo('create', 'DataVolume'), namespace);

/** Whether files can be uploaded to new volumes. */
export function uploadOffer(may: May, has: Has, namespace: string | undefined): Offer {
  const making = makingOffer(may, has, namespace);
  return making.isOffered ? offerSomewhere(may, SEND, namespace) : making;
}
