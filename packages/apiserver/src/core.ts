import type { ApiRequest } from '@vireo/kube';
import type { AdmissionChain } from './admission/chain.ts';
import type { Registry } from './registry/registry.ts';
import type { Resource } from './registry/resource.ts';
import type { ResourceRequestInfo } from './requestInfo.ts';
import type { Store } from './store/store.ts';
import type { Lookup } from './strategies/strategy.ts';
import type { ListSnapshots } from './verbs/snapshots.ts';

/** What every verb works with. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: AdmissionChain;
  readonly lookup: Lookup;
  readonly snapshots: ListSnapshots;
}

/** One request on one resource. */
export interface VerbContext {
  readonly core: Core;
  readonly resource: Resource;
  readonly info: ResourceRequestInfo;
  readonly request: ApiRequest;
  /** Throws 403 unless the user may create this object too: an apply creates what is not there. */
  readonly requireCreate?: () => void;
}

export const groupResource = (resource: Resource): { group: string; resource: string } => ({
  group: resource.kind.group,
  resource: resource.kind.plural,
});
