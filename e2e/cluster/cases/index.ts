import type { UseCluster } from '../fixture.ts';
import { actionCases } from './actions.ts';
import { lifecycleCases } from './lifecycle.ts';
import { replicaSetCases } from './replicaSet.ts';
import { storageCases } from './storage.ts';

/** Everything that must work on a cluster, whatever server it has. */
export function clusterCases(cluster: UseCluster): void {
  lifecycleCases(cluster);
  storageCases(cluster);
  replicaSetCases(cluster);
  actionCases(cluster);
}
