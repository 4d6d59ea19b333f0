import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type Filter, unschedulable } from '../filter.ts';

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Every address where the pod names none. */
  readonly address: string;
}

const ANY = '0.0.0.0';

/** The ports that a pod takes on its node itself. */
export function* hostPorts({ spec }: Pod): Iterable<HostPort> {
  for (const { ports } of [...(spec?.containers ?? []), ...sidecars(spec)])
    for (const { hostPort, protocol = 'TCP', hostIP } of ports ?? [])
      if (hostPort) yield { port: hostPort, protocol, address: hostIP || ANY };
}

const sidecars = (spec: Pod['spec']) =>
  (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');

const portsClash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.address === b.address || a.address === ANY || b.address === ANY);

export const hostPortsFilter: Filter = {
  name: 'NodePorts',
  wokenBy: ['nodeAdded', 'podGone'],
  prepare(pod) {
    const wanted = [...hostPorts(pod)];
    if (wanted.length === 0) return undefined;
    return (state) => {
      for (const used of state.usedHostPorts())
        if (wanted.some((port) => portsClash(port, used)))
          return unschedulable("node(s) didn't have free ports for the requested pod ports", true);
      return undefined;
    };
  },
};
