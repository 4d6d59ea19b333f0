import { type HostCapabilities, LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';
import type { Calls } from '@vireo/libvirt';
import type { Host } from './host.ts';

/** Asks libvirt what guests of this host can have. */
export async function readCapabilities(
  calls: Calls,
  { architecture }: Host,
  virtType: string,
): Promise<HostCapabilities> {
  const arch = LIBVIRT_ARCHITECTURE[architecture];
  const machine = architecture === 'arm64' ? 'virt' : 'q35';
  return parseCapabilities(
    architecture,
    await calls.capabilities(),
    await calls.domainCapabilities({ arch, machine, virtType }),
  );
}

/** Reads libvirt's two descriptions: that of the host, and that of the guests it can run. */
export function parseCapabilities(architecture: Host['architecture'], host: string, guests: string): HostCapabilities {
  const arch = LIBVIRT_ARCHITECTURE[architecture];
  const guest = between(host, `<arch name='${arch}'>`, '</arch>');
  const hostModel = between(guests, "<mode name='host-model' supported='yes'>", '</mode>');
  const custom = between(guests, "<mode name='custom' supported='yes'>", '</mode>');
  const features = [...hostModel.matchAll(/<feature policy='require' name='([^']+)'/g)].map(([, name = '']) => name);
  const model = /<model[^>]*>([^<]+)</.exec(hostModel)?.[1];
  const vendor = /<vendor>([^<]+)</.exec(hostModel)?.[1];
  return {
    architecture,
    machineTypes: [...new Set([...guest.matchAll(/<machine[^>]*>([^<]+)</g)].map(([, name = '']) => name))],
    cpuModels: [...custom.matchAll(/<model usable='yes'[^>]*>([^<]+)</g)].map(([, name = '']) => name),
    cpuFeatures: features,
    ...(model && { hostModel: model, hostModelRequiredFeatures: features }),
    ...(vendor && { cpuVendor: vendor }),
  };
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  return from < 0 ? '' : text.slice(from, text.indexOf(end, from));
}
