import type { Persisted } from '@vireo/api';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { DRIVE, discOf, NAMESPACE, type VirtualMachineInstance } from './objects.ts';
import type { Scene } from './scene.ts';

const domainName = ({ metadata }: VirtualMachineInstance): string => `${NAMESPACE}_${metadata.name}`;

/** Who says it, and which disc. */
type Saying = readonly [who: string, disc: string | undefined];

/** Where the API, libvirt and the kernel do not say the same: of what runs, and of the disc in its drive. */
export function disagreement(scene: Scene): string[] {
  const { domains, host } = scene;
  const wrong = scene.vmis.filter(isRunning).flatMap((vmi) => wrongDisc(vmi, scene));
  if (!domains)
    return host.guests.length > 0
      ? [...wrong, `there are ${host.guests.length} guests, but none should be running`]
      : wrong;
  const running = scene.vmis.filter(isRunning).map(domainName);
  const known = domains.map(({ name }) => name);
  return [
    ...running
      .filter((name) => !known.includes(name))
      .map((name) => `${name} is running according to the API, but not according to libvirt`),
    ...known
      .filter((name) => !running.includes(name))
      .map((name) => `${name} is running according to libvirt, but not according to the API`),
    ...(host.guests.length === known.length
      ? []
      : [`there are ${host.guests.length} QEMU processes and ${known.length} domains`]),
    ...wrong,
  ];
}

/**
 * The disc of a drive stands in the VM, in its VMI, in the status of that, and in the domain. Where there are
 * no guests there are no drives.
 */
function wrongDisc(vmi: Persisted<VirtualMachineInstance>, { vms, claims, domains }: Scene): string[] {
  const name = vmi.metadata.name;
  const vm = vms.find(({ metadata }) => metadata.name === name);
  if (!vm) return [];
  const wanted = discOf(vm.spec.template.spec);
  const { cdromStatus = [], volumeStatus = [] } = vmi.status ?? {};
  const path = domains?.find((domain) => domain.name === domainName(vmi))?.disc;
  const asked: Saying = ['its VMI wants', discOf(vmi.spec)];
  const says: readonly Saying[] = [
    asked,
    ['its cdromStatus has', cdromStatus.find((drive) => drive.name === DRIVE)?.claimName],
    ['its domain has', claims.find(({ spec }) => path?.includes(`/${spec?.volumeName}/`))?.metadata.name ?? path],
  ];
  const phase = volumeStatus.find((each) => each.name === DRIVE)?.phase;
  const expected = wanted === undefined ? undefined : 'Ready';
  return [
    ...(domains ? says : [asked])
      .filter(([, found]) => found !== wanted)
      .map(([who, found]) => `${name}: the disc should be ${wanted ?? 'none'}, ${who} ${found ?? 'none'}`),
    ...(phase === expected || !domains
      ? []
      : [`${name}: the disc should be ${wanted ?? 'none'}, its volumeStatus is ${phase}`]),
  ];
}
