/** A resource or subresource of an API, such as `virtualmachines/objectgraph`. */
export interface Served {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Whether the server has it; undefined: it is not known yet. */
export type Has = (what: Served) => boolean | undefined;

const subresource = (resource: string): Served => ({ group: 'subresources.kubevirt.io', version: 'v1', resource });

export const CONSOLES = subresource('virtualmachineinstances/console');
export const SCREENS = subresource('virtualmachineinstances/vnc');
export const GRAPHS = subresource('virtualmachines/objectgraph');
export const SNAPSHOTS: Served = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  resource: 'virtualmachinesnapshots',
};
export const EXPORTS: Served = { group: 'export.kubevirt.io', version: 'v1', resource: 'virtualmachineexports' };
/** CDI's, which not every cluster with KubeVirt has. */
export const DATA_VOLUMES: Served = { group: 'cdi.kubevirt.io', version: 'v1beta1', resource: 'datavolumes' };
export const KUBEVIRTS: Served = { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' };

/** Whether to show what needs one of these; until the server has answered, it is taken to have them. */
export const isServed = (has: Has, needs: readonly Served[] = []): boolean =>
  needs.length === 0 || needs.some((what) => has(what) !== false);
