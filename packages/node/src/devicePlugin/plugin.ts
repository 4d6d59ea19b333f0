import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { DEVICE_PREFIX } from '@vireo/hypervisor';
import type { DeviceState } from '../devices/deviceHealth.ts';
import {
  type AllocateRequest,
  type AllocateResponseSchema,
  type DevicePlugin,
  DevicePluginOptionsSchema,
  type ListAndWatchResponseSchema,
} from './devicePlugin_pb.ts';

/** What is offered under one resource. */
export interface Offer {
  readonly resource: string;
  readonly units: readonly Unit[];
  /** The environment variable by which a container learns what it got; missing: it need not. */
  readonly variable?: string;
}

/** What one container can have, and kubelets count. */
export interface Unit {
  readonly id: string;
  /** The files of its devices. */
  readonly paths: readonly string[];
  /** Why it cannot be used; missing while it can. */
  readonly problem?: string;
  /** What it is called in the variable. */
  readonly value?: string;
  readonly numaNode?: number;
}

/** A device that so many containers may share: it has as many IDs, called as KubeVirt calls them. */
export const sharedOffer = ({ resource, path, problem }: DeviceState, count: number): Offer => ({
  resource,
  units: Array.from({ length: count }, (_, index) => ({
    id: `${nameOf(resource)}${index}`,
    paths: [path],
    ...(problem !== undefined && { problem }),
  })),
});

/** A resource in the name of its socket: `devices.kubevirt.io/kvm` → `kvm`, `example.com/gpu` → `example.com-gpu`. */
export const nameOf = (resource: string): string =>
  resource.startsWith(DEVICE_PREFIX) ? resource.slice(DEVICE_PREFIX.length) : resource.replaceAll('/', '-');

/** The whole list, as every message of ListAndWatch has it. A device that does not work stays in it. */
export const listOf = ({ units }: Offer): MessageInitShape<typeof ListAndWatchResponseSchema> => ({
  devices: units.map(({ id, problem, numaNode }) => ({
    ID: id,
    health: problem === undefined ? 'Healthy' : 'Unhealthy',
    ...(numaNode !== undefined && { topology: { nodes: [{ ID: BigInt(numaNode) }] } }),
  })),
});

/** The devices for each of the containers, or why they cannot have them. */
export function allocate(offer: Offer, request: AllocateRequest): MessageInitShape<typeof AllocateResponseSchema> {
  const { resource, variable } = offer;
  const known = new Map(offer.units.map((unit) => [unit.id, unit]));
  const unitOf = (id: string): Unit => {
    const unit = known.get(id);
    if (!unit) throw new ConnectError(`${resource} has no device ${JSON.stringify(id)}`, Code.InvalidArgument);
    if (unit.problem !== undefined)
      throw new ConnectError(`${resource} cannot be used now: ${unit.problem}`, Code.FailedPrecondition);
    return unit;
  };
  return {
    containerResponses: request.containerRequests.map(({ devicesIds }) => {
      const units = devicesIds.map(unitOf);
      const paths = [...new Set(units.flatMap((unit) => unit.paths))];
      return {
        devices: paths.map((path) => ({ hostPath: path, containerPath: path, permissions: 'mrw' })),
        ...(variable && { envs: { [variable]: units.flatMap(({ value }) => value ?? []).join(',') } }),
      };
    }),
  };
}

/** The plug-in of one resource, as a kubelet calls it. `shown` yields the offer, and again whenever it has changed. */
export const pluginService = (
  offer: () => Offer,
  shown: (signal: AbortSignal) => AsyncIterable<Offer>,
): ServiceImpl<typeof DevicePlugin> => ({
  getDevicePluginOptions: () => create(DevicePluginOptionsSchema),
  async *listAndWatch(_, { signal }) {
    for await (const each of shown(signal)) yield listOf(each);
  },
  allocate: (request) => allocate(offer(), request),
  preStartContainer: () => ({}),
});
