import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type HostCapabilities, LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';
import { el, parseXml, select, textOf, writeXml, type XmlElement } from '@vireo/hypervisor/xml.ts';
import type { Calls } from '@vireo/libvirt';
import type { Host } from './host.ts';

const run = promisify(execFile);

/** Has libvirt name the features that a model stands for, too. */
const EXPAND_FEATURES = 1;

type Asked = Pick<Calls, 'domainCapabilities' | 'baselineHypervisorCpu'>;

/**
 * Asks what guests of this host can have. libvirt's description of the host would tell the same, but for that it starts
 * every emulator that is installed, and that takes seconds for each.
 */
export async function readCapabilities(
  calls: Asked,
  { architecture }: Pick<Host, 'architecture'>,
  virtType: string,
): Promise<HostCapabilities> {
  const arch = LIBVIRT_ARCHITECTURE[architecture];
  const choice = { arch, machine: architecture === 'arm64' ? 'virt' : 'q35', virtType };
  const [{ stdout }, guests, runtimeUs] = await Promise.all([
    run(`qemu-system-${arch}`, ['-machine', 'help']),
    calls.domainCapabilities(choice),
    readFile('/proc/sys/kernel/sched_rt_runtime_us', 'utf8').catch(() => ''),
  ]);
  const hostModel = cpuMode(parseXml(guests), 'host-model');
  // Not every architecture has models that libvirt can take apart; what it said before is less, and true.
  const expanded =
    hostModel.children.length > 0
      ? await calls
          .baselineHypervisorCpu(
            [writeXml(el('cpu', {}, el('arch', {}, arch), ...hostModel.children))],
            choice,
            EXPAND_FEATURES,
          )
          .catch(() => undefined)
      : undefined;
  return { ...parseCapabilities(architecture, stdout, guests, expanded), hasRealtimeKernel: runtimeUs.trim() === '-1' };
}

/** Reads QEMU's list of machines, libvirt's description of the guests it can run, and the host's model taken apart. */
export function parseCapabilities(
  architecture: Host['architecture'],
  machines: string,
  guests: string,
  expanded = '<cpu/>',
): HostCapabilities {
  const described = parseXml(guests);
  const hostModel = cpuMode(described, 'host-model');
  const required = requiredFeatures(hostModel);
  const [model] = select(hostModel, 'model').map(textOf);
  const [vendor] = select(hostModel, 'vendor').map(textOf);
  const models = select(cpuMode(described, 'custom'), 'model').filter(({ attributes }) => attributes.usable === 'yes');
  return {
    architecture,
    machineTypes: machineTypes(machines),
    cpuModels: models.map(textOf),
    cpuFeatures: [...new Set([...required, ...requiredFeatures(parseXml(expanded))])],
    hypervFeatures: hypervFeatures(described),
    protections: protections(described),
    ...(model && { hostModel: model, hostModelRequiredFeatures: required }),
    ...(vendor && { cpuVendor: vendor }),
  };
}

/** The clock of the processor by libvirt's description of the host: guests that rely on it move only to equal ones. */
export function parseTsc(host: string): HostCapabilities['tsc'] {
  const tsc = select(parseXml(host), 'host/cpu/counter').find(({ attributes }) => attributes.name === 'tsc');
  return tsc && { frequencyHz: Number(tsc.attributes.frequency), isScalable: tsc.attributes.scaling === 'yes' };
}

const isSupported = ({ attributes }: XmlElement): boolean => attributes.supported === 'yes';

/** What libvirt says of a way to choose a CPU; an empty element where it does not support that. */
const cpuMode = (guests: XmlElement, name: string): XmlElement =>
  select(guests, 'cpu/mode').find((mode) => mode.attributes.name === name && isSupported(mode)) ?? el('mode');

const requiredFeatures = (cpu: XmlElement): string[] =>
  select(cpu, 'feature').flatMap(({ attributes: { policy, name } }) => (policy === 'require' && name ? [name] : []));

/** libvirt's word where KubeVirt has another. */
const HYPERV_NAMES: Readonly<Record<string, string>> = { stimer: 'synictimer' };

const hypervFeatures = (guests: XmlElement): string[] =>
  select(guests, 'features/hyperv')
    .filter(isSupported)
    .flatMap((hyperv) => select(hyperv, 'enum'))
    .filter(({ attributes }) => attributes.name === 'features')
    .flatMap((features) => select(features, 'value').map(textOf))
    .map((name) => HYPERV_NAMES[name] ?? name);

/** How guests can be kept from their host. */
function protections(guests: XmlElement): string[] {
  const supportedFeatures = (feature: string): XmlElement[] =>
    select(guests, `features/${feature}`).filter(isSupported);
  const [sev] = supportedFeatures('sev');
  const encryptedGuests = Number(sev && select(sev, 'maxESGuests').map(textOf)[0]) || 0;
  const security = supportedFeatures('launchSecurity').flatMap((each) => select(each, 'enum/value').map(textOf));
  return [
    ...(sev ? ['sev'] : []),
    ...(encryptedGuests > 0 ? ['sev-es'] : []),
    ...(security.includes('sev-snp') ? ['sev-snp'] : []),
    ...(security.includes('tdx') || supportedFeatures('tdx').length > 0 ? ['tdx'] : []),
    ...(supportedFeatures('s390-pv').length > 0 ? ['s390-pv'] : []),
  ];
}

/** One a line, after the heading; `none` is a machine without anything. */
const machineTypes = (help: string): string[] =>
  help
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name !== '' && name !== 'none');
