import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { DomainRef, ReconnectingLibvirt } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import type { DomainView } from './domainView.ts';
import type { Machine } from './machine.ts';

/** A file that QEMU has open, or a layer above one. */
interface BlockNode {
  readonly 'node-name'?: string;
  /** The file, or how QEMU was told to open it, as JSON. */
  readonly file?: string;
}

/**
 * The nodes of disks that are out of the domain, in the order in which they can be deleted. libvirt deletes them when
 * QEMU tells that a disk is gone, and takes no notice when that fails: requests of the guest may still be under way
 * then. Nobody deletes them afterwards, and the file stays open and locked for as long as the guest runs.
 */
export function leftNodes(nodes: readonly BlockNode[], domainXml: string): string[] {
  const used = new Set(
    [...domainXml.matchAll(/<(?:source|backingStore|mirror) [^>]*\bindex='(\d+)'/g)].map(([, index]) => index),
  );
  // libvirt numbers not all that lie below an image; what it names is in use all the same.
  const named = [...domainXml.matchAll(/<source (?:file|dev)='([^']*)'/g)].map(([, path = '']) => path);
  const isNamed = (file: string): boolean => named.some((path) => file === path || file.includes(JSON.stringify(path)));
  const left = nodes.flatMap(({ 'node-name': name = '', file = '' }) => {
    const [, index, layer] = /^libvirt-(\d+)-(format|storage)$/.exec(name) ?? [];
    return index === undefined || used.has(index) || isNamed(file) ? [] : [{ name, layer }];
  });
  // What is above goes first.
  return [...left.filter(({ layer }) => layer === 'format'), ...left.filter(({ layer }) => layer === 'storage')].map(
    ({ name }) => name,
  );
}

/**
 * Closes the files of disks that are out of the domain. Returns whether some of them are still open. Only to be called
 * while nothing else is plugged in: a disk has its nodes before it is in the domain.
 */
export async function closeUnplugged(machine: Machine, context: NodeContext): Promise<boolean> {
  const { domain, memory } = machine;
  const targets = context.domains.get(machine.uid)?.view.diskTargets ?? {};
  if (!domain || [...memory.unplugged.keys()].every((name) => Object.hasOwn(targets, name))) return false;
  const { calls } = context.libvirt;
  const xml = await calls.domainXml(domain.ref);
  const before = leftNodes(await blockNodes(calls, domain.ref), xml);
  // QEMU refuses to delete a node that something uses.
  for (const name of before) await ask(calls, domain.ref, 'blockdev-del', { 'node-name': name });
  const left = before.length === 0 ? [] : leftNodes(await blockNodes(calls, domain.ref), xml);
  for (const name of memory.unplugged.keys())
    if (left.length === 0 && !xml.includes(`<alias name='ua-${name}'`)) memory.unplugged.delete(name);
  return left.length > 0;
}

/** What is known of a domain, with the disks that are out of it and still open: until then they are being detached. */
export function withUnplugged(
  { spec }: VirtualMachineInstance,
  view: DomainView,
  unplugged: ReadonlyMap<string, string>,
): DomainView {
  const open = [...unplugged].filter(([name]) => !spec.volumes?.some((volume) => volume.name === name));
  return open.length === 0 ? view : { ...view, diskTargets: { ...Object.fromEntries(open), ...view.diskTargets } };
}

type Calls = Pick<ReconnectingLibvirt['calls'], 'monitorCommand'>;

async function ask(calls: Calls, domain: DomainRef, execute: string, given: object): Promise<unknown> {
  const answer = await calls.monitorCommand(domain, JSON.stringify({ execute, arguments: given }));
  return (JSON.parse(answer) as { return?: unknown }).return;
}

const blockNodes = async (calls: Calls, domain: DomainRef): Promise<readonly BlockNode[]> =>
  ((await ask(calls, domain, 'query-named-block-nodes', { flat: true })) ?? []) as BlockNode[];
