import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Failure } from '../../failure.ts';
import { programName } from '../../programName.ts';
import type { Connection } from './connection.ts';
import { orFail } from './refusal.ts';
import type { VmOrVmi } from './vmSummary.ts';

/** The VM of that name with its VMI, or the VMI that has no VM. Says which names are near where there is neither. */
export async function findVm(connection: Connection, name: string): Promise<VmOrVmi> {
  const { client, namespace } = connection;
  const [vm, vmi] = await orFail(
    connection,
    (why) => why,
    () =>
      Promise.all([
        client.of(VirtualMachine).find(name, { namespace }),
        client.of(VirtualMachineInstance).find(name, { namespace }),
      ]),
  );
  if (vm) return { vm, vmi };
  if (vmi) return { vmi };
  throw await unknownVm(connection, name);
}

async function unknownVm({ client, namespace }: Connection, name: string): Promise<Failure> {
  // Not everybody may see all namespaces.
  const everywhere = async () => (await client.of(VirtualMachine).list()).items;
  const here = async () => (await client.of(VirtualMachine).list({ namespace })).items;
  const vms = await everywhere()
    .catch(here)
    .catch(() => []);
  const names = vms.map(({ metadata }) => ({ name: metadata.name, namespace: metadata.namespace ?? '' }));
  return new Failure(`VM ${name} not found in namespace ${namespace}`, suggestion(name, namespace, names));
}

interface Known {
  readonly name: string;
  readonly namespace: string;
}

/** What the user may have meant. */
export function suggestion(name: string, namespace: string, known: readonly Known[]): string {
  const elsewhere = known.filter((each) => each.name === name).map((each) => each.namespace);
  if (elsewhere[0]) return `It exists in namespace ${elsewhere.join(', ')}: add -n ${elsewhere[0]}`;
  const here = known.filter((each) => each.namespace === namespace).map((each) => each.name);
  const near = similarNames(name, here);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  if (here.length === 0) return `The namespace has no VMs. To launch one: ${programName} launch --name ${name}`;
  return `To list VMs: ${programName} list -n ${namespace}`;
}

const MOST_SUGGESTED = 3;

/** Names that differ by a typo or two, or begin with the name; the nearest first. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(name.length / 3));
  const isBeginning = (each: string): boolean => name.length > 1 && each.startsWith(name);
  return names
    .map((each) => ({ each, distance: isBeginning(each) ? 0 : editDistance(name, each) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.each < b.each ? -1 : 1))
    .slice(0, MOST_SUGGESTED)
    .map(({ each }) => each);
}

/** How many letters must be put in, taken out, changed or swapped with the next to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (rows[i - 1]?.[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(change, swap, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
