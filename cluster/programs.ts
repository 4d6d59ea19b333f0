import { join } from 'node:path';

/** The programs that `npm run cluster` found or built. */
export interface Programs {
  readonly etcd: string;
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  /** Such as 1.20.2. */
  readonly version: string;
  /** The number after the first dot of it. */
  readonly minor: number;
}

/** Where `npm run cluster` says that they are. */
export function programs(): Programs {
  const { VIREO_CLUSTER_PROGRAMS: directory, VIREO_CLUSTER_ETCD: etcd, VIREO_CLUSTER_VERSION: version } = process.env;
  if (!directory || !etcd || !version) throw new Error('run this with: npm run cluster');
  return {
    etcd,
    apiserver: join(directory, 'kube-apiserver'),
    controllerManager: join(directory, 'kube-controller-manager'),
    scheduler: join(directory, 'kube-scheduler'),
    version,
    minor: Number(version.split('.')[1]),
  };
}
