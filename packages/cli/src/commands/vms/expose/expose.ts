import { isConditionTrue, Service } from '@vireo/api';
import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import { VM_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { isBehindNode, machinesOf } from '../network/machines.ts';
import { type NetworkObjects, readNetwork } from '../network/read.ts';
import { type ServicePortLine, selectsMachine, serviceLine } from '../network/services.ts';
import { hostNetwork } from '../reach/hostNetwork.ts';
import { orFail } from '../refusal.ts';
import { addressesText, addressRows } from './addresses.ts';
import { untilServed } from './untilServed.ts';

interface ExposeOptions extends ConnectionOptions {
  readonly name: string;
  readonly port?: number;
  readonly targetPort?: string;
  readonly portName?: string;
  readonly protocol: string;
  readonly type: string;
  readonly clusterIp?: string;
  readonly externalIp?: string;
  readonly ipFamily?: string;
  readonly ipFamilyPolicy?: string;
}

type Exposed = 'vm' | 'vmi' | 'vmirs' | 'vmpool';
type Labels = Readonly<Record<string, string>>;

/** Makes a Service that leads to a VM, by the label that every launcher pod has, as virtctl does, and says where it is reached. */
export async function expose(type: string, name: string, options: ExposeOptions): Promise<void> {
  const exposed = exposedType(type);
  checkOptions(options);
  await connected(options, async (connection) => {
    const { selector, ports, isReady } = await selected(connection, exposed, name);
    if (Object.keys(selector).length === 0)
      throw new Failure(`cannot expose ${type} without any label: ${name}`, 'Add labels to its selector.');
    const spec = serviceSpec(options, selector, ports);
    const { namespace } = connection;
    await orFail(
      connection,
      (why) => `service creation failed: ${why}`,
      () => connection.client.of(Service).create({ metadata: { name: options.name, namespace }, spec }),
    );
    console.log(`Service ${options.name} successfully exposed for ${type} ${name}`);
    await report(connection, options.name, { exposed, name, isReady });
  });
}

interface Target {
  readonly exposed: Exposed;
  readonly name: string;
  /** Whether a VM is ready that the Service can lead to. */
  readonly isReady: boolean;
}

/** Says at which addresses a Service is reached, and what stands in the way. */
async function report(connection: Connection, service: string, target: Target): Promise<void> {
  const { namespace } = connection;
  const warnings = await untilServed(connection, service, target.isReady);
  const objects = await readNetwork(connection, false);
  const created = objects.services.find(({ metadata }) => metadata.name === service);
  if (!created) return;
  const line = serviceLine(created, objects.slices, machinesOf(objects));
  const isNode = (await hostNetwork(connection)) !== undefined;
  // With user networking, none of its addresses will ever lead to a guest.
  const selected = machinesOf(objects).filter((machine) => selectsMachine(created, machine));
  if (selected.length === 0 || !selected.every(isBehindNode))
    console.log(addressesText(addressRows(line, { domain: objects.domain, nodes: objects.nodes, isNode, warnings })));
  const hasNoBalancer = line.type === 'LoadBalancer' && line.externalAddresses.length === 0 && warnings.length === 0;
  for (const warning of [
    ...warnings,
    ...(hasNoBalancer ? ['the load balancer has no address yet: kubectl get service shows when it has'] : []),
    ...(line.note ? [`connections reach no VM: ${line.note}`] : []),
  ])
    console.error(`Warning: ${warning}`);
  const hint = hintFor(target, objects, line.ports, namespace);
  if (line.note && hint) console.error(hint);
}

/** What reaches the guest all the same, or makes it ready. */
function hintFor(
  { exposed, name, isReady }: Target,
  objects: NetworkObjects,
  ports: readonly ServicePortLine[],
  namespace: string,
): string | undefined {
  const inNamespace = namespace === 'default' ? '' : ` -n ${namespace}`;
  const machine = machinesOf(objects).find((each) => each.name === name);
  if (exposed === 'vm' && machine?.state === 'Stopped')
    return `To start it: ${programName} start ${name}${inNamespace}`;
  if (!isReady) return undefined;
  const isSet = exposed === 'vmirs' || exposed === 'vmpool';
  const object = isSet ? 'vmi/NAME' : `${exposed}/${name}`;
  const words = ports.map(({ port, targetPort = port, protocol }) => {
    // A port of the guest that only has a name is known to nobody here.
    const pair = typeof targetPort === 'number' && targetPort !== port ? `${port}:${targetPort}` : `${port}`;
    return protocol === 'UDP' ? `udp/${pair}` : pair;
  });
  const which = isSet ? ', for one of its VMIs' : '';
  return `Forward a port instead${which}: ${programName} port-forward ${object}${namespace === 'default' ? '' : `/${namespace}`} ${words.join(' ')}`;
}

function exposedType(text: string): Exposed {
  const type = text.toLowerCase().replace(/s$/, '');
  if (type === 'vm' || type === 'virtualmachine') return 'vm';
  if (type === 'vmi' || type === 'virtualmachineinstance') return 'vmi';
  if (type === 'vmir' || type === 'virtualmachineinstancereplicaset') return 'vmirs';
  if (type === 'vmpool' || type === 'virtualmachinepool') return 'vmpool';
  throw new Failure(`unsupported resource type: ${text}`, 'Use vm, vmi, vmirs or vmpool.');
}

function checkOptions({ protocol, type }: ExposeOptions): void {
  if (!['TCP', 'UDP'].includes(protocol)) throw new Failure(`unknown protocol: ${protocol}`, 'Use TCP or UDP.');
  if (type === 'ExternalName') throw new Failure(`type: ${type} not supported`);
  if (!['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type))
    throw new Failure(`unknown service type: ${type}`, 'Use ClusterIP, NodePort or LoadBalancer.');
}

interface NamedPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
}

interface Selected {
  readonly selector: Labels;
  /** Ports that the template's interfaces name. */
  readonly ports: readonly NamedPort[];
  readonly isReady: boolean;
}

async function selected(connection: Connection, type: Exposed, name: string): Promise<Selected> {
  const { client, namespace } = connection;
  switch (type) {
    case 'vmi': {
      const vmi = await orFail(
        connection,
        (why) => `error fetching VirtualMachineInstance: ${why}`,
        () => client.of(VirtualMachineInstance).get(name, { namespace }),
      );
      return {
        selector: { [VM_NAME_LABEL]: hostnameOf(vmi) },
        ports: portsOf(vmi.spec),
        isReady: isConditionTrue(vmi, 'Ready'),
      };
    }
    case 'vm': {
      const { metadata, spec, status } = await orFail(
        connection,
        (why) => `error fetching VirtualMachine: ${why}`,
        () => client.of(VirtualMachine).get(name, { namespace }),
      );
      const template = spec.template?.spec;
      return {
        selector: { [VM_NAME_LABEL]: hostnameOf({ metadata, spec: template }) },
        ports: portsOf(template),
        isReady: status?.ready === true,
      };
    }
    case 'vmirs': {
      const { spec, status } = await orFail(
        connection,
        (why) => `error fetching VirtualMachineInstanceReplicaSet: ${why}`,
        () => client.of(VirtualMachineInstanceReplicaSet).get(name, { namespace }),
      );
      if ((spec.selector.matchExpressions ?? []).length > 0)
        throw new Failure('cannot expose VirtualMachineInstanceReplicaSet with match expressions');
      return {
        selector: spec.selector.matchLabels ?? {},
        ports: portsOf(spec.template?.spec),
        isReady: (status?.readyReplicas ?? 0) > 0,
      };
    }
    case 'vmpool': {
      const { spec, status } = await orFail(
        connection,
        (why) => `error fetching VirtualMachinePool: ${why}`,
        () => client.of(VirtualMachinePool).get(name, { namespace }),
      );
      const { template } = spec.virtualMachineTemplate.spec ?? {};
      return {
        selector: podLabelsOf(name, spec),
        ports: portsOf(template?.spec),
        isReady: (status?.readyReplicas ?? 0) > 0,
      };
    }
  }
}

/** What selects the VMs of a pool; a Service selects pods, which have the labels of VMIs. */
function podLabelsOf(name: string, { selector, virtualMachineTemplate }: VirtualMachinePool['spec']): Labels {
  if ((selector.matchExpressions ?? []).length > 0)
    throw new Failure('cannot expose VirtualMachinePool with match expressions');
  const { matchLabels = {} } = selector;
  const labels: Labels = virtualMachineTemplate.spec?.template.metadata?.labels ?? {};
  const missing = Object.entries(matchLabels).filter(([key, value]) => labels[key] !== value);
  if (missing.length === 0) return matchLabels;
  const path = 'spec.virtualMachineTemplate.spec.template.metadata.labels';
  throw new Failure(
    `cannot expose VirtualMachinePool ${name}: its VMIs do not have the label ${missing[0]?.join('=')}`,
    `Add it to ${path}.`,
  );
}

const portsOf = (spec: VirtualMachineInstance['spec'] | undefined): NamedPort[] =>
  (spec?.domain.devices.interfaces ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ name, port, protocol }) => ({ port, ...(name && { name }), ...(protocol && { protocol }) })),
  );

/** The Service's spec; without --port it has the ports that the VM names. */
function serviceSpec(options: ExposeOptions, selector: Labels, named: readonly NamedPort[]): Service['spec'] {
  const { port, targetPort, portName, protocol, clusterIp, externalIp, ipFamily, ipFamilyPolicy } = options;
  if (port === undefined && named.length === 0)
    throw new Failure("couldn't find port via --port flag or introspection", 'Set it with --port.');
  const target = targetPort === undefined ? undefined : /^\d+$/.test(targetPort) ? Number(targetPort) : targetPort;
  const ports =
    port === undefined
      ? named.map(({ name, port: each, protocol: own = protocol }, index) => ({
          name: name ?? `port-${index + 1}`,
          port: each,
          protocol: own,
          ...(target !== undefined && { targetPort: target }),
        }))
      : [{ port, protocol, ...(portName && { name: portName }), ...(target !== undefined && { targetPort: target }) }];
  return {
    type: options.type,
    selector: { ...selector },
    ports,
    ...(clusterIp && { clusterIP: clusterIp }),
    ...(externalIp && { externalIPs: [externalIp] }),
    ...(ipFamily && { ipFamilies: ipFamilies(ipFamily) }),
    ...(ipFamilyPolicy && { ipFamilyPolicy }),
  };
}

function ipFamilies(text: string): string[] {
  const families: Readonly<Record<string, string>> = { ipv4: 'IPv4', ipv6: 'IPv6' };
  return text.split(',').map((each) => {
    const family = families[each.toLowerCase()];
    if (!family) throw new Failure(`unknown IPFamily: ${text}`, 'Use ipv4, ipv6, or both separated by a comma.');
    return family;
  });
}
