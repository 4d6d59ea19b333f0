import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Options of a server that say who wrote each revision of the objects of VMs, and how to read that. */
export interface AuditedWrites {
  readonly options: readonly string[];
  /** Users by the revision that they wrote; a node's name is left out. */
  writers(): Promise<ReadonlyMap<number, string>>;
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
  readonly responseObject?: { readonly metadata?: { readonly resourceVersion?: string } };
}

/** Has a server keep an audit log of writes in a directory of its own. */
export function auditedWrites(): AuditedWrites {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-audit-'));
  const [policy, log] = [join(directory, 'policy.yaml'), join(directory, 'audit.log')];
  writeFileSync(policy, POLICY);
  return {
    options: ['--audit-policy-file', policy, '--audit-log-path', log],
    writers: async () => {
      const events = (await readFile(log, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEvent);
      return new Map(
        events.map(({ user, responseObject }) => [
          Number(responseObject?.metadata?.resourceVersion),
          user.username.replace(/^((?:system|vireo):node):.*/, '$1'),
        ]),
      );
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
