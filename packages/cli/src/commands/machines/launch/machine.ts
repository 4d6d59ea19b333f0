import { conditionOf, type KubeObject } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { parseQuantity } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';
import { stringify } from 'yaml';
import { Failure } from '../../../failure.ts';
import { userDataOf } from '../create/cloudInit.ts';

export interface MachineOptions {
  readonly image: string;
  readonly name: string;
  readonly namespace: string;
  readonly memory: string;
  readonly cpus: number;
  readonly user: string;
  readonly sshKeys: readonly string[];
  /** Of the user; none where only keys are to open the door. */
  readonly password?: string;
}

/** A machine with one disk, one network card and a user, ready to be logged in to. */
export function launchedMachine(options: MachineOptions): Draft<VirtualMachine> {
  const { image, name, namespace, memory, cpus, user, sshKeys, password } = options;
  checkMemory(memory);
  const userData = [
    userDataOf({ user, sshKey: sshKeys }),
    ...(password ? [stringify({ password, chpasswd: { expire: false }, ssh_pwauth: true }).trimEnd()] : []),
    stringify({ hostname: name }).trimEnd(),
  ].join('\n');
  return {
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: {
            cpu: { cores: cpus },
            memory: { guest: memory },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' } },
                { name: 'cloudinit', disk: { bus: 'virtio' } },
              ],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: 'root', containerDisk: { image } },
            { name: 'cloudinit', cloudInitNoCloud: { userData: `${userData}\n` } },
          ],
        },
      },
    },
  };
}

function checkMemory(memory: string): void {
  try {
    parseQuantity(memory);
  } catch (error) {
    throw new Failure(
      `--memory ${memory}: ${error instanceof Error ? error.message : error}`,
      'For example: --memory 1Gi',
    );
  }
}

/** How a machine is on its way up. */
export interface Progress {
  readonly status: string;
  /** Why it is not further, where somebody said so. */
  readonly cause?: string;
  readonly isUp: boolean;
}

/** Conditions that tell why a machine does not run, the most telling first. */
const TELLING = ['Failure', 'PodScheduled', 'Synchronized', 'DataVolumesReady', 'Ready'];
/** What they say while all is well. */
const ORDINARY = ['VMINotExists', 'VMIConditionMissing', 'PodNotExists', 'GuestNotRunning', 'ContainersNotReady'];

/** What a machine's status says about its way up. */
export function progressOf({ status }: KubeObject & Pick<VirtualMachine, 'status'>): Progress {
  const printable = status?.printableStatus ?? 'Pending';
  const conditions = TELLING.flatMap((type) => conditionOf({ status }, type) ?? []);
  const isBad = ({ type, status: value }: { type: string; status: string }): boolean =>
    type === 'Failure' ? value === 'True' : value === 'False';
  const problem = conditions.find((each) => isBad(each) && each.message && !ORDINARY.includes(each.reason ?? ''));
  const isUp = printable === 'Running';
  return { status: printable, isUp, ...(!isUp && problem?.message && { cause: problem.message }) };
}
