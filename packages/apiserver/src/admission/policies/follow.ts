import type { Persisted, UnknownObject } from '@vireo/api';
import { follow } from '../../registry/follow.ts';
import type { Store } from '../../store/store.ts';
import type { PolicySet } from './policySet.ts';
import type { Binding, Policy } from './types.ts';

type Stored = Persisted<UnknownObject>;

/** Keeps a set equal to the policies and bindings that are stored. */
export function followPolicies<P extends Policy, B extends Binding, C>(
  store: Store,
  type: 'mutating' | 'validating',
  { policies, bindings }: PolicySet<P, B, C>,
): void {
  follow(store, `admissionregistration.k8s.io/${type}admissionpolicies`, {
    update: (object: Stored) => policies.update(object as unknown as P),
    remove: (object: Stored) => policies.remove(object as unknown as P),
  });
  follow(store, `admissionregistration.k8s.io/${type}admissionpolicybindings`, {
    update: (object: Stored) => bindings.update(object as unknown as B),
    remove: (object: Stored) => bindings.remove(object as unknown as B),
  });
}
