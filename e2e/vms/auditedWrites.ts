import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Options of a server that say who wrote each revision of the objects of VMs, and how to read that. */
export interface AuditedWrites {
  readonly options: readonly string[];
  /** Users by the revision that they wrote; a node's name is left out. */
  writers(): Promise<ReadonlyMap<number, string>>;
  /** The writes from the creation of a VM until its VMI runs, as `pods by system:node`; undefined while it does not run. */
  untilRunning(vm: string): Promise<string[] | undefined>;
  remove(): void;
}

const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: RequestResponse
    verbs: [create, update, patch]
    resources:
      - {group: "", resources: [pods, pods/status, pods/binding]}
      - {group: kubevirt.io, resources: ["*"]}
      - {group: apps, resources: [controllerrevisions]}
  - level: None
`;

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly objectRef: { readonly resource: string; readonly name?: string; readonly subresource?: string };
  readonly responseObject?: {
    readonly metadata?: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly ownerReferences?: readonly { readonly name: string }[];
    };
    readonly status?: { readonly phase?: string };
  };
}

const userOf = ({ user }: AuditEvent): string => user.username.replace(/^((?:system|vireo):node):.*/, '$1');

/** Whether an object is of a VM: the VM, its VMI, their revisions and the launcher pod. */
const isOf = (vm: string, { objectRef, responseObject: { metadata } = {} }: AuditEvent): boolean => {
  const name = metadata?.name ?? objectRef.name ?? '';
  return name === vm || name.startsWith(`virt-launcher-${vm}-`) || metadata?.ownerReferences?.[0]?.name === vm;
};

/** Has a server keep an audit log of writes in a directory of its own. */
export function auditedWrites(): AuditedWrites {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-audit-'));
  const [policy, log] = [join(directory, 'policy.yaml'), join(directory, 'audit.log')];
  writeFileSync(policy, POLICY);
  const read = async (): Promise<AuditEvent[]> =>
    (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
  return {
    options: ['--audit-policy-file', policy, '--audit-log-path', log],
    writers: async () =>
      new Map((await read()).map((event) => [Number(event.responseObject?.metadata?.resourceVersion), userOf(event)])),
    untilRunning: async (vm) => {
      const events = (await read()).filter((event) => isOf(vm, event));
      const last = events.findIndex(
        ({ objectRef, responseObject }) =>
          objectRef.resource === 'virtualmachineinstances' && responseObject?.status?.phase === 'Running',
      );
      if (last < 0) return undefined;
      // A request that changes nothing has the revision of an earlier one. A binding has none.
      const writes = new Map(
        events.slice(0, last + 1).map((event, index) => {
          const { metadata } = event.responseObject ?? {};
          const { resource, subresource } = event.objectRef;
          const text = `${resource}${subresource ? `/${subresource}` : ''} by ${userOf(event)}`;
          return [metadata?.resourceVersion ?? `${index}`, text] as const;
        }),
      );
      return [...writes.values()];
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
