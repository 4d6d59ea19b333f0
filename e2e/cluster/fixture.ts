import type { Client } from '@vireo/kube';
import type { Kubectl } from '../kubectl.ts';
import { type InTheMiddle, retried } from './kills.ts';

/** A Kubernetes with all roles of Vireo on it, each in processes of its own. The cases in `cases/` run on any. */
export interface ClusterFixture {
  /** An administrator's. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** An administrator's, for requests that must be sent at once. */
  readonly client: Client;
  /** Of Kubernetes, the number after `1.`: what a server lacks is skipped. */
  readonly minor: number;
  /** Of `vireo install` on this server and this host. */
  readonly installOptions: string;
  /** Where disks are uploaded to. */
  readonly uploadUrl: string;
  /** Where tests can put files. */
  readonly directory: string;
  /** Runs `vireo …` as an administrator would type it, and gives what it printed; with the exit code where it is not 0. */
  vireo(command: string): Promise<string>;
  /** Requests something, and kills the leading controllers and one extension before it is done. */
  readonly inTheMiddle: InTheMiddle;
}

/** The fixture of a file's tests, once they run. */
export type UseCluster = () => ClusterFixture;

/** For the cases of a group that runs beside other groups: each goes on with what the one before has made. */
export const IN_ORDER = { concurrent: false };

/** How long one change of a VM may take on a busy host that has just lost its controllers. */
export const TIMEOUT = '--timeout=120s';

/** What the cases of VMs do with a cluster. */
export interface Steps {
  /** Applies manifests. */
  create(...manifests: string[]): Promise<void>;
  untilStatus(name: string, status: string): Promise<void>;
  /** Runs a command of `vireo`, and fails if that fails. */
  run(command: string): Promise<string>;
  /** Sends an action of a VM as clients do: `PUT …/virtualmachines/NAME/ACTION`. */
  act(name: string, action: string, body?: object): Promise<unknown>;
  readonly inTheMiddle: InTheMiddle;
}

/** The steps on the cluster of a file's tests. */
export function stepsOn(cluster: UseCluster): Steps {
  return {
    async run(command) {
      const output = await cluster().vireo(command);
      if (/(^|\n)exit code \d+$/.test(output)) throw new Error(`vireo ${command}: ${output}`);
      return output;
    },
    create: (...manifests) => retried(() => cluster().kubectl.do('apply -f -', { input: manifests.join('\n') })),
    untilStatus: (name, status) =>
      cluster().kubectl.do(`wait vm/${name} --for=jsonpath={.status.printableStatus}=${status} ${TIMEOUT}`),
    act: (name, action, body = {}) => cluster().client.call({ method: 'PUT', path: `${vmPath(name)}/${action}`, body }),
    inTheMiddle: (request, middle) => cluster().inTheMiddle(request, middle),
  };
}

/** The path of a VM's subresources. */
export const vmPath = (name: string): string =>
  `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/${name}`;
