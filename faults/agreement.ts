import { DRIVE, discOf, NAMESPACE, type VirtualMachineInstance } from './objects.ts';
import type { Scene } from './scene.ts';

const isRunning = ({ status }: VirtualMachineInstance): boolean => status?.phase === 'Running';
const domainName = ({ metadata }: VirtualMachineInstance): string => `${NAMESPACE}_${metadata.name}`;

/** Where the API, libvirt and the kernel do not say the same: of what runs, and of the disc in its drive. */
export function disagreement(scene: Scene): string[] {
  const { domains, host } = scene;
  if (!domains)
    return host.guests.length > 0 ? [`there are ${host.guests.length} guests where nothing should run any`] : [];
  const running = scene.instances.filter(isRunning).map(domainName);
  const known = domains.map(({ name }) => name);
  return [
    ...running.filter((name) => !known.includes(name)).map((name) => `${name} runs for the API, not for libvirt`),
    ...known.filter((name) => !running.includes(name)).map((name) => `${name} runs for libvirt, not for the API`),
    ...(host.guests.length === known.length
      ? []
      : [`there are ${host.guests.length} QEMU processes and ${known.length} domains`]),
    ...scene.instances.filter(isRunning).flatMap((instance) => wrongDisc(instance, scene)),
  ];
}

/** The disc of a drive stands in the machine, in its instance, in the status of that, and in the domain. */
function wrongDisc(instance: VirtualMachineInstance, { machines, claims, domains }: Scene): string[] {
  const name = instance.metadata.name ?? '';
  const machine = machines.find(({ metadata }) => metadata.name === name);
  if (!machine) return [];
  const wanted = discOf(machine.spec.template.spec);
  const { cdromStatus = [], volumeStatus = [] } = instance.status ?? {};
  const path = domains?.find((domain) => domain.name === domainName(instance))?.disc;
  const says: [string, string | undefined][] = [
    ['its instance wants', discOf(instance.spec)],
    ['its cdromStatus has', cdromStatus.find((drive) => drive.name === DRIVE)?.claimName],
    ['its domain has', claims.find(({ spec }) => path?.includes(`/${spec?.volumeName}/`))?.metadata.name ?? path],
  ];
  const phase = volumeStatus.find((each) => each.name === DRIVE)?.phase;
  const expected = wanted === undefined ? undefined : 'Ready';
  return [
    ...says
      .filter(([, found]) => found !== wanted)
      .map(([who, found]) => `${name}: the disc should be ${wanted ?? 'none'}, ${who} ${found ?? 'none'}`),
    ...(phase === expected ? [] : [`${name}: the disc should be ${wanted ?? 'none'}, its volumeStatus is ${phase}`]),
  ];
}
