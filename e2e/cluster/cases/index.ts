import type { UseCluster } from '../fixture.ts';
import { actionCases } from './actions.ts';
import { discCases } from './discs.ts';
import { installCases } from './install.ts';
import { lifecycleCases } from './lifecycle.ts';
import { replicaSetCases } from './replicaSet.ts';
import { rightsCases } from './rights.ts';
import { streamCases } from './streams.ts';
import { volumeCases } from './volumes.ts';

/**
 * Everything that must work on a cluster, whatever server it has. The groups run at the same time, each with VMs of its
 * own; the leading controllers and one extension are killed in the middle of every case.
 */
export function clusterCases(cluster: UseCluster): void {
  lifecycleCases(cluster);
  streamCases(cluster);
  discCases(cluster);
  volumeCases(cluster);
  replicaSetCases(cluster);
  actionCases(cluster);
  rightsCases(cluster);
  installCases(cluster);
}
