import { clusterCases } from '../e2e/cluster/cases/index.ts';
import { useRealCluster } from './fixture.ts';

clusterCases(useRealCluster());
