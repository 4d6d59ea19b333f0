import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { DeviceState } from '../devices/deviceHealth.ts';
import {
  type AllocateRequest,
  type AllocateResponseSchema,
  type DevicePlugin,
  DevicePluginOptionsSchema,
  type ListAndWatchResponseSchema,
} from './devicePlugin_pb.ts';

/** What is offered under one resource: a device, and how many containers may share it. */
export interface Offer {
  readonly device: DeviceState;
  readonly units: number;
}

/** Kubelets count what has an ID: a device that many may share has as many of them, called as KubeVirt calls them. */
export const idsOf = ({ device, units }: Offer): string[] =>
  Array.from({ length: units }, (_, index) => `${nameOf(device.resource)}${index}`);

/** `devices.kubevirt.io/kvm` → `kvm`. */
export const nameOf = (resource: string): string => resource.slice(resource.lastIndexOf('/') + 1);

/** The whole list, as every message of ListAndWatch has it. A device that does not work stays in it. */
export const listOf = (offer: Offer): MessageInitShape<typeof ListAndWatchResponseSchema> => ({
  devices: idsOf(offer).map((ID) => ({ ID, health: offer.device.problem === undefined ? 'Healthy' : 'Unhealthy' })),
});

/** The device for each of the containers, or why they cannot have it. */
export function allocate(offer: Offer, request: AllocateRequest): MessageInitShape<typeof AllocateResponseSchema> {
  const { path, resource, problem } = offer.device;
  const known = new Set(idsOf(offer));
  const unknown = request.containerRequests.flatMap(({ devicesIds }) => devicesIds).filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new ConnectError(`${resource} has no device ${JSON.stringify(unknown[0])}`, Code.InvalidArgument);
  if (problem !== undefined)
    throw new ConnectError(`${resource} cannot be used now: ${problem}`, Code.FailedPrecondition);
  const devices = [{ hostPath: path, containerPath: path, permissions: 'mrw' }];
  return { containerResponses: request.containerRequests.map(() => ({ devices })) };
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
