import { type Kind, type KubeObject, Namespace, PersistentVolumeClaim } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type Connection, connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import type { Candidate, NamedKind } from './wanted.ts';

/** Nobody waits longer for a press of Tab. */
const TIMEOUT_MS = 2_000;

/** The names of what the server has. */
export function namesOf(of: NamedKind, options: ConnectionOptions): Promise<Candidate[]> {
  return connected({ ...options, requestTimeout: TIMEOUT_MS }, async (connection) => {
    switch (of) {
      case 'namespace':
        return list(connection, Namespace, () => 'namespace', false);
      case 'network':
        return list(connection, NetworkAttachmentDefinition, () => 'network');
      case 'pvc':
        return list(connection, PersistentVolumeClaim, () => 'claim');
      case 'vm':
        return listVms(connection);
      case 'vmi':
        return listVmis(connection);
      case 'vmOrVmi': {
        const [vms, vmis] = await Promise.all([listVms(connection), listVmis(connection)]);
        return [...vms.map(inType('vm')), ...vmis.map(inType('vmi'))];
      }
      case 'guest': {
        const [vms, vmis] = await Promise.all([listVms(connection), listVmis(connection)]);
        return [...vms, ...vms.map(inType('vm')), ...vmis.map(inType('vmi'))];
      }
    }
  });
}

const listVms = (connection: Connection): Promise<Candidate[]> =>
  list(connection, VirtualMachine, ({ status }) => status?.printableStatus ?? 'VM');

const listVmis = (connection: Connection): Promise<Candidate[]> =>
  list(connection, VirtualMachineInstance, ({ status }) => status?.phase ?? 'VMI');

async function list<T extends KubeObject>(
  { client, namespace }: Connection,
  kind: Kind<T>,
  describe: (object: T) => string,
  isNamespaced = true,
): Promise<Candidate[]> {
  const { items } = await client.of(kind).list(isNamespaced ? { namespace } : {});
  return items.map((item) => ({ value: item.metadata.name, description: describe(item) }));
}

const inType =
  (type: string) =>
  ({ value, description }: Candidate): Candidate => ({
    value: `${type}/${value}`,
    ...(description && { description }),
  });
