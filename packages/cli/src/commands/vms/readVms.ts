import { PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { actionPath, type Connection } from './connection.ts';
import { orFail } from './refusal.ts';
import { objectOf, pairVms, summarize, type VmOrVmi, type VmSummary } from './vmSummary.ts';

/** Every VM of the namespace, or of all; and from which versions on a watch goes on. */
export async function readVms(connection: Connection, allNamespaces: boolean, expanded: ExpandedSpecs = new Map()) {
  const { client } = connection;
  const where = allNamespaces ? {} : { namespace: connection.namespace };
  const [vms, vmis, claims] = await orFail(
    connection,
    (why) => `cannot list VMs: ${why}`,
    () =>
      Promise.all([
        client.of(VirtualMachine).list(where),
        client.of(VirtualMachineInstance).list(where),
        // Sizes are worth having, not worth failing for.
        client
          .of(PersistentVolumeClaim)
          .list(where)
          .catch(() => ({ items: [] })),
      ]),
  );
  const claimsOf = Map.groupBy(claims.items, ({ metadata }) => metadata.namespace ?? '');
  const summaries = pairVms(vms.items, vmis.items).map(async (pair): Promise<VmSummary> => {
    const own = claimsOf.get(objectOf(pair).metadata.namespace ?? '') ?? [];
    const byName = new Map(own.map((claim) => [claim.metadata.name, claim]));
    return summarize(pair, byName, await knownSpec(connection, pair, expanded));
  });
  return {
    summaries: await Promise.all(summaries),
    versions: { vms: vms.metadata.resourceVersion, vmis: vmis.metadata.resourceVersion },
  };
}

type ExpandedSpec = Awaited<ReturnType<typeof expandedSpec>>;

/** What VMs were expanded to, by UID, as long as their version is the same. */
export type ExpandedSpecs = Map<string, { readonly version: string; readonly spec: ExpandedSpec }>;

async function knownSpec(connection: Connection, pair: VmOrVmi, known: ExpandedSpecs): Promise<ExpandedSpec> {
  const { uid, resourceVersion: version } = objectOf(pair).metadata;
  const last = known.get(uid);
  if (last?.version === version) return last.spec;
  const spec = await expandedSpec(connection, pair);
  if (spec) known.set(uid, { version, spec });
  return spec;
}

/** What an instance type makes of a VM that does not run. */
export async function expandedSpec({ client }: Connection, { vm, vmi }: VmOrVmi) {
  if (!vm?.spec.instancetype || vmi) return undefined;
  const { name, namespace = '' } = vm.metadata;
  const path = actionPath({ namespace }, 'virtualmachines', name, 'expand-spec');
  // An instance type that is not there is no reason to show nothing at all.
  const expanded = await client.call({ method: 'GET', path }).catch(() => undefined);
  return (expanded as VirtualMachine | undefined)?.spec.template?.spec;
}
