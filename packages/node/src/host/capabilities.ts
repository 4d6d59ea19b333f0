import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type HostCapabilities, LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';
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
  const hostModel = hostModelOf(guests);
  // Not every architecture has models that libvirt can take apart; what it said before is less, and true.
  const expanded = hostModel
    ? await calls
        .baselineHypervisorCpu([`<cpu><arch>${arch}</arch>${hostModel}</cpu>`], choice, EXPAND_FEATURES)
        .catch(() => '')
    : '';
  return { ...parseCapabilities(architecture, stdout, guests, expanded), hasRealtimeKernel: runtimeUs.trim() === '-1' };
}

/** Reads QEMU's list of machines, libvirt's description of the guests it can run, and the host's model taken apart. */
export function parseCapabilities(
  architecture: Host['architecture'],
  machines: string,
  guests: string,
  expanded = '',
): HostCapabilities {
  const hostModel = hostModelOf(guests);
  const custom = between(guests, "<mode name='custom' supported='yes'>", '</mode>');
  const required = requiredFeatures(hostModel);
  const model = /<model[^>]*>([^<]+)</.exec(hostModel)?.[1];
  const vendor = /<vendor>([^<]+)</.exec(hostModel)?.[1];
  return {
    architecture,
    machineTypes: machineTypes(machines),
    cpuModels: [...custom.matchAll(/<model usable='yes'[^>]*>([^<]+)</g)].map(([, name = '']) => name),
    cpuFeatures: [...new Set([...required, ...requiredFeatures(expanded)])],
    hypervFeatures: hypervFeatures(guests),
    protections: protections(guests),
    ...(model && { hostModel: model, hostModelRequiredFeatures: required }),
    ...(vendor && { cpuVendor: vendor }),
  };
}

/** The clock of the processor by libvirt's description of the host: guests that rely on it move only to equal ones. */
export function parseTsc(host: string): HostCapabilities['tsc'] {
  const [, frequency, scaling] = /<counter name='tsc' frequency='(\d+)'(?: scaling='(\w+)')?/.exec(host) ?? [];
  return frequency === undefined ? undefined : { frequencyHz: Number(frequency), isScalable: scaling === 'yes' };
}

const hostModelOf = (guests: string): string => {
  const start = "<mode name='host-model' supported='yes'>";
  return between(guests, start, '</mode>').slice(start.length);
};

const requiredFeatures = (cpu: string): string[] =>
  [...cpu.matchAll(/<feature policy='require' name='([^']+)'/g)].map(([, name = '']) => name);

/** libvirt's word where KubeVirt has another. */
const HYPERV_NAMES: Readonly<Record<string, string>> = { stimer: 'synictimer' };

const hypervFeatures = (guests: string): string[] => {
  const list = between(guests, "<hyperv supported='yes'>", '</hyperv>');
  return values(between(list, "<enum name='features'>", '</enum>')).map((name) => HYPERV_NAMES[name] ?? name);
};

/** How guests can be kept from their host. */
function protections(guests: string): string[] {
  const sev = between(guests, "<sev supported='yes'>", '</sev>');
  const security = values(between(guests, "<launchSecurity supported='yes'>", '</launchSecurity>'));
  const encryptedGuests = Number(/<maxESGuests>(\d+)</.exec(sev)?.[1] ?? 0);
  return [
    ...(sev ? ['sev'] : []),
    ...(encryptedGuests > 0 ? ['sev-es'] : []),
    ...(security.includes('sev-snp') ? ['sev-snp'] : []),
    ...(security.includes('tdx') || guests.includes("<tdx supported='yes'") ? ['tdx'] : []),
    ...(guests.includes("<s390-pv supported='yes'") ? ['s390-pv'] : []),
  ];
}

const values = (xml: string): string[] => [...xml.matchAll(/<value>([^<]+)<\/value>/g)].map(([, name = '']) => name);

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
