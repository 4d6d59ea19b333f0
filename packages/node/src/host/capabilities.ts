import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type HostCapabilities, LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';
import type { Calls } from '@vireo/libvirt';
import type { Host } from './host.ts';

const run = promisify(execFile);

/**
 * Asks what guests of this host can have. libvirt's description of the host would tell the same, but for that it starts
 * every emulator that is installed, and that takes seconds for each.
 */
export async function readCapabilities(
  calls: Calls,
  { architecture }: Pick<Host, 'architecture'>,
  virtType: string,
): Promise<HostCapabilities> {
  const arch = LIBVIRT_ARCHITECTURE[architecture];
  const machine = architecture === 'arm64' ? 'virt' : 'q35';
  const { stdout } = await run(`qemu-system-${arch}`, ['-machine', 'help']);
  return parseCapabilities(architecture, stdout, await calls.domainCapabilities({ arch, machine, virtType }));
}

/** Reads QEMU's list of machines and libvirt's description of the guests it can run. */
export function parseCapabilities(
  architecture: Host['architecture'],
  machines: string,
  guests: string,
): HostCapabilities {
  const hostModel = between(guests, "<mode name='host-model' supported='yes'>", '</mode>');
  const custom = between(guests, "<mode name='custom' supported='yes'>", '</mode>');
  const features = [...hostModel.matchAll(/<feature policy='require' name='([^']+)'/g)].map(([, name = '']) => name);
  const model = /<model[^>]*>([^<]+)</.exec(hostModel)?.[1];
  const vendor = /<vendor>([^<]+)</.exec(hostModel)?.[1];
  return {
    architecture,
    machineTypes: machineTypes(machines),
    cpuModels: [...custom.matchAll(/<model usable='yes'[^>]*>([^<]+)</g)].map(([, name = '']) => name),
    cpuFeatures: features,
    ...(model && { hostModel: model, hostModelRequiredFeatures: features }),
    ...(vendor && { cpuVendor: vendor }),
  };
}

/** One a line, after the heading; `none` is a machine without anything. */
const machineTypes = (help: string): string[] =>
  help
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name !== '' && name !== 'none');

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  return from < 0 ? '' : text.slice(from, text.indexOf(end, from));
}
