import { isIP, isIPv6 } from 'node:net';
import { isConditionTrue, type Pod, type Service, type ServicePort } from '@vireo/api';
import { specialAddressErrors } from '../../strategies/core/addresses.ts';

/** Whether the pod has ended. */
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether the pod answers. */
export const isReady = (pod: Pod): boolean => isConditionTrue(pod, 'Ready');

/** Whether the pod is being deleted. */
export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/**
 * The addresses at which others reach a pod: one of loopback is another pod's on each node. A VMI with user networking is
 * behind the address of its node, where others would find programs of the node instead.
 */
export const addressesOf = ({ spec, status }: Pod): string[] => {
  const addresses = (status?.podIPs ?? []).map(({ ip }) => ip ?? '');
  const ofNode = spec?.hostNetwork ? [] : [status?.hostIP, ...(status?.hostIPs ?? []).map(({ ip }) => ip)];
  return (addresses.length > 0 ? addresses : [status?.podIP ?? '']).filter(
    (address) => isIP(address) !== 0 && specialAddressErrors(address).length === 0 && !ofNode.includes(address),
  );
};

/** The IP family of an address, as Services and slices name it. */
export const familyOf = (address: string): 'IPv4' | 'IPv6' => (isIPv6(address) ? 'IPv6' : 'IPv4');

/** The families of a Service's addresses. */
export const familiesOf = ({ spec }: Service): string[] => (spec?.ipFamilies?.length ? spec.ipFamilies : ['IPv4']);

/** Whether a Service has no address of its own. */
export const isHeadless = ({ spec }: Service): boolean => !spec?.clusterIP || spec.clusterIP === 'None';

/** The name that a pod has below its Service: of its own choice, where it names the Service as its subdomain. */
export const hostnameOf = ({ metadata, spec }: Pod, service: Service): string | undefined =>
  spec?.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
    ? spec.hostname
    : undefined;

/** A port of a Service, and the number that a pod has it at. */
export interface PodPort {
  readonly servicePort: ServicePort;
  readonly port: number;
}

/** The ports of a Service that a pod has: a named target port is one that a container of the pod names so. */
export const podPorts = ({ spec }: Service, pod: Pod): PodPort[] =>
  (spec?.ports ?? []).flatMap((servicePort) => {
    const { targetPort = servicePort.port } = servicePort;
    const port = typeof targetPort === 'number' ? targetPort : namedPort(pod, targetPort, servicePort);
    return port === undefined ? [] : [{ servicePort, port }];
  });

function namedPort({ spec }: Pod, name: string, { protocol = 'TCP' }: ServicePort): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}
