import type { Binding, Subject } from '../../data/accessKinds.ts';

export const SUBJECT_KINDS = ['User', 'Group', 'ServiceAccount'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Roles that can be given here, with what they allow. Kubernetes' own roles contain KubeVirt's of the same name. */
export const GRANTABLE: readonly { readonly role: string; readonly text: string }[] = [
  { role: 'kubevirt.io:view', text: 'See machines' },
  { role: 'kubevirt.io:edit', text: 'See, use, change and delete machines' },
  { role: 'kubevirt.io:admin', text: 'All of edit, screenshots, and deleting all at once' },
  { role: 'kubevirt.io:migrate', text: 'Migrate machines to other nodes' },
  { role: 'view', text: 'See machines and most other objects, but no Secrets' },
  { role: 'edit', text: 'Change machines and most other objects, and read Secrets' },
  { role: 'admin', text: 'All of edit, and give roles in this namespace' },
];

const LABEL = 'app.kubernetes.io/managed-by';

/** Why a subject cannot be given a role as it is typed. A ServiceAccount is `name`, or `namespace/name`. */
export function subjectProblem(kind: SubjectKind, text: string): string | undefined {
  const name = text.trim();
  if (name === '') return 'Who should get the role?';
  if (kind !== 'ServiceAccount') return undefined;
  return /^([a-z0-9-]+\/)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)
    ? undefined
    : 'A ServiceAccount is a name, or namespace/name.';
}

export function subjectFrom(kind: SubjectKind, text: string, namespace: string): Subject {
  const name = text.trim();
  if (kind !== 'ServiceAccount') return { kind, name, apiGroup: 'rbac.authorization.k8s.io' };
  const [first = '', second] = name.split('/');
  return second === undefined ? { kind, name: first, namespace } : { kind, name: second, namespace: first };
}

/** A binding of one role to one subject. Its name is made by the server, so that none is in the way. */
export const bindingFor = (role: string, subject: Subject, namespace: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { generateName: `${role.replaceAll(':', '-')}-`, namespace, labels: { [LABEL]: 'vireo-dashboard' } },
  subjects: [subject],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
});

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');

/** How a subject is taken out of a binding: the last one goes with it. */
export function withdrawal(
  { subjects, metadata }: Binding,
  subject: Subject,
): { readonly kind: 'delete' } | { readonly kind: 'patch'; readonly operations: readonly WithdrawOperation[] } {
  const all = subjects ?? [];
  const others = all.filter((each) => !isSame(each, subject));
  if (others.length === 0) return { kind: 'delete' };
  return {
    kind: 'patch',
    operations: [
      { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'replace', path: '/subjects', value: others },
    ],
  };
}

interface WithdrawOperation {
  readonly op: 'test' | 'replace';
  readonly path: string;
  readonly value: unknown;
}
