import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@vireo/api/json.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { replaceFile } from '../replaceFile.ts';

/** The NetworkAttachmentDefinitions that cards of a guest are connected to, by interface, as its VMI names them. */
export type ConnectedNetworks = Map<string, string>;

const FILE = 'networks.json';

/** Those of the cards that a VMI is started with. */
export const networksAtStart = ({ spec }: VirtualMachineInstance): ConnectedNetworks => {
  const absent = new Set(
    (spec.domain.devices.interfaces ?? []).filter(({ state }) => state === 'absent').map(({ name }) => name),
  );
  return new Map(
    (spec.networks ?? []).flatMap(({ name, multus }) =>
      multus && !absent.has(name) ? [[name, multus.networkName]] : [],
    ),
  );
};

/** What was kept of a guest; nothing where that was cut off. */
export async function readNetworks(directory: string): Promise<ConnectedNetworks> {
  const kept = parse(await readFile(join(directory, FILE), 'utf8').catch(() => ''));
  const entries = isObject(kept) ? Object.entries(kept) : [];
  return new Map(entries.flatMap(([name, network]) => (typeof network === 'string' ? [[name, network]] : [])));
}

/** Keeps it as long as the guest runs: nothing else tells which definition a card was connected by. */
export const writeNetworks = (directory: string, networks: ReadonlyMap<string, string>): Promise<void> =>
  replaceFile(join(directory, FILE), JSON.stringify(Object.fromEntries(networks)));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
