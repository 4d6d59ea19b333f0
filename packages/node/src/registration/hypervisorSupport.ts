import type { DeviceState } from '../devices/deviceHealth.ts';
import type { Wanted } from '../devices/wanted.ts';
import type { NodeCondition } from './readiness.ts';

/** What the cluster asks of this node, and why the node cannot give it. */
export interface HypervisorSupport extends Wanted {
  /** Why no new VM runs here; missing while they do. */
  readonly problem?: string;
  /** The labels that the hypervisor has found out itself, if it was asked. */
  readonly features?: Readonly<Record<string, string>>;
  /** False where the hypervisor could not say which labels the node deserves. */
  readonly isLabelled?: false;
}

/** Compares what is asked with what is there. `libvirtProblem` is why libvirt knows nothing of the hypervisor. */
export function supportOf(
  wanted: Wanted,
  devices: readonly DeviceState[],
  libvirtProblem: string | undefined,
): HypervisorSupport {
  const missing = devices.find(({ isOfHypervisor, isOptional, problem }) => isOfHypervisor && !isOptional && problem);
  if (wanted.missing !== undefined) return { ...wanted, problem: wanted.missing };
  const problem = missing ? `${wanted.hypervisor} needs ${missing.resource}: ${missing.problem}` : libvirtProblem;
  return problem === undefined ? wanted : { ...wanted, problem };
}

/** Whether the hypervisor of the cluster runs VMs here. */
export const hypervisorCondition = ({
  hypervisor,
  problem,
}: HypervisorSupport): Omit<NodeCondition, 'lastHeartbeatTime'> =>
  problem === undefined
    ? { type: 'HypervisorReady', status: 'True', reason: 'Usable', message: `VMs run on ${hypervisor}` }
    : { type: 'HypervisorReady', status: 'False', reason: 'NotUsable', message: problem };

/** Something to tell of the node. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What changed between then and now, in words: which device, on which node. Nothing where all is as it was. */
export function supportEvents(
  node: string,
  before: { readonly support: HypervisorSupport; readonly devices: readonly DeviceState[] } | undefined,
  after: { readonly support: HypervisorSupport; readonly devices: readonly DeviceState[] },
): NodeEvent[] {
  const problemBefore = new Map(before?.devices.map(({ resource, problem }) => [resource, problem]));
  const ofDevices = after.devices
    .filter(({ isOptional, path }) => !isOptional && path !== '')
    .flatMap(({ resource, problem }): NodeEvent[] => {
      const past = problemBefore.get(resource);
      if (problem === past) return [];
      if (problem === undefined)
        return [
          { type: 'Normal', reason: 'DeviceAvailable', message: `${resource} is available on node ${node} again` },
        ];
      const message = `${resource} is not available on node ${node}: ${problem}. VMs that need it stay Pending`;
      return [{ type: 'Warning', reason: 'DeviceNotAvailable', message }];
    });
  return [...ofDevices, ...ofHypervisor(node, before?.support, after.support)];
}

function ofHypervisor(
  node: string,
  before: HypervisorSupport | undefined,
  { hypervisor, problem }: HypervisorSupport,
): NodeEvent[] {
  const isNews = before?.hypervisor !== hypervisor || before.problem !== problem;
  if (!isNews) return [];
  if (problem !== undefined) {
    const message = `node ${node} cannot run new VMs: the cluster uses ${hypervisor}, but ${problem}`;
    return [{ type: 'Warning', reason: 'HypervisorNotAvailable', message }];
  }
  if (before === undefined) return [];
  return [{ type: 'Normal', reason: 'HypervisorChanged', message: `new VMs on node ${node} run on ${hypervisor}` }];
}
