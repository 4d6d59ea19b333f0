import { APIService, isConditionTrue } from '@vireo/api';
import { SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Informers } from '@vireo/kube';
import type { Health } from './health.ts';

/** The API by which it is known whether the extension answers. */
const EXTENSION_API = `${SUBRESOURCE_VERSIONS[0]}.${SUBRESOURCE_GROUP}`;

/** The health of parts that run elsewhere: whoever asks runs himself, and of the extension the API server knows. */
export function observedHealth(informers: Informers): Health {
  const apiServices = informers.for(APIService);
  const isAnswered = (): boolean => {
    const found = apiServices.get(EXTENSION_API);
    return found !== undefined && isConditionTrue(found, 'Available');
  };
  return {
    isReady: (component) => component !== 'virt-api' || isAnswered(),
    onChange: (callback) => apiServices.on({ added: callback, updated: callback, deleted: callback }),
  };
}
