import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { DRIVE, discOf, NAMESPACE, type VirtualMachineInstance } from './objects.ts';
import type { Scene } from './scene.ts';

const domainName = ({ metadata }: VirtualMachineInstance): string => `${NAMESPACE}_${metadata.name}`;

/** Who says it, and which disc. */
type Saying = readonly [who: string, disc: string | undefined];

/** Where the API, libvirt and the kernel do not say the same: of what runs, and of the disc in its drive. */
export function disagreement(scene: Scene): string[] {
  const { domains, host } = scene;
  const wrong = scene.instances.filter(isRunning).flatMap((instance) => wrongDisc(instance, scene));
  if (!domains)
    return host.guests.length > 0 ? [...wrong, `there are ${host.guests.length} guests where none should run`] : wrong;
  const running = scene.instances.filter(isRunning).map(domainName);
  const known = domains.map(({ name }) => name);
  return [
    ...running.filter((name) => !known.includes(name)).map((name) => `${name} runs for the API, not for libvirt`),
    ...known.filter((name) => !running.includes(name)).map((name) => `${name} runs for libvirt, not for the API`),
    ...(host.guests.length === known.length
      ? []
      : [`there are ${host.guests.length} QEMU processes and ${known.length} domains`]),
    ...wrong,
  ];
}

/**
 * The disc of a drive stands in the machine, in its instance, in the status of that, and in the domain. Where there are
 * no guests there are no drives.
 */
function wrongDisc(instance: VirtualMachineInstance, { machines, claims, domains }: Scene): string[] {
  const name = instance.metadata.name ?? '';
  const machine = machines.find(({ metadata }) => metadata.name === name);
  if (!machine) return [];
  const wanted = discOf(machine.spec.template.spec);
  const { cdromStatus = [], volumeStatus = [] } = instance.status ?? {};
  const path = domains?.find((domain) => domain.name === domainName(instance))?.disc;
  const asked: Saying = ['its instance wants', discOf(instance.spec)];
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
