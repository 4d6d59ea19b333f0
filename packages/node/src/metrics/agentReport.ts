import type { VirtualMachineInstanceFileSystem } from '@vireo/api/kinds/kubevirt/guestAgent.ts';
import { type Calls, type DomainRef, GuestInfoTypes } from '@vireo/libvirt';
import { filesystems } from '../api/guestAgent.ts';

/** What a card has carried, by libvirt's names for it and the agent's. */
const INTERFACE_COUNTERS = {
  'rx.bytes': 'rx-bytes',
  'tx.bytes': 'tx-bytes',
  'rx.pkts': 'rx-packets',
  'tx.pkts': 'tx-packets',
  'rx.errs': 'rx-errs',
  'tx.errs': 'tx-errs',
  'rx.drop': 'rx-dropped',
  'tx.drop': 'tx-dropped',
} as const;

export type InterfaceCounter = keyof typeof INTERFACE_COUNTERS;

/** What only the guest knows of itself, by its agent. */
export interface AgentReport {
  readonly filesystems: readonly VirtualMachineInstanceFileSystem[];
  /** By hardware address, in small letters. */
  readonly interfaces: ReadonlyMap<string, Readonly<Partial<Record<InterfaceCounter, number>>>>;
}

export const NO_REPORT: AgentReport = { filesystems: [], interfaces: new Map() };

/** Asks the agent of a guest. */
export async function askAgent(
  calls: Pick<Calls, 'guestInfo' | 'agentCommand'>,
  domain: DomainRef,
  signal: AbortSignal,
): Promise<AgentReport> {
  const info = await calls.guestInfo(domain, GuestInfoTypes.FILESYSTEM, { signal });
  // libvirt asks the agent the same and leaves the counters out.
  const answer = await calls.agentCommand(domain, '{"execute":"guest-network-get-interfaces"}', -1, { signal });
  return { filesystems: filesystems(info), interfaces: interfaceCounters(answer) };
}

interface AgentInterface {
  readonly 'hardware-address'?: unknown;
  readonly statistics?: Readonly<Record<string, unknown>>;
}

/** The counters in an answer of the agent. A guest can write anything there: what is no number is left out. */
export function interfaceCounters(answer: string | undefined): AgentReport['interfaces'] {
  const interfaces = (parseJson(answer) as { return?: unknown } | undefined)?.return;
  if (!Array.isArray(interfaces)) return new Map();
  return new Map(
    (interfaces as readonly (AgentInterface | null)[]).flatMap((iface) => {
      const [mac, statistics] = [iface?.['hardware-address'], iface?.statistics];
      if (typeof mac !== 'string' || typeof statistics !== 'object' || statistics === null) return [];
      const counters = Object.entries(INTERFACE_COUNTERS).flatMap(([name, word]) => {
        const value = statistics[word];
        return typeof value === 'number' && value >= 0 ? [[name, value] as const] : [];
      });
      return [[mac.toLowerCase(), Object.fromEntries(counters)] as const];
    }),
  );
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
