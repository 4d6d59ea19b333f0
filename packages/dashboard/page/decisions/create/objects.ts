import { isMapping, type Mapping, type Path, valueAt, withValue } from '../yaml/values.ts';

/** What is created together: a VM, and a Secret for user data that has a password. */
export interface Objects {
  readonly vm: Mapping;
  readonly secret?: Mapping;
}

export const SPEC: Path = ['spec', 'template', 'spec'];
export const DOMAIN: Path = [...SPEC, 'domain'];
export const DISKS: Path = [...DOMAIN, 'devices', 'disks'];
export const VOLUMES: Path = [...SPEC, 'volumes'];
export const INTERFACES: Path = [...DOMAIN, 'devices', 'interfaces'];
export const NETWORKS: Path = [...SPEC, 'networks'];
export const TEMPLATES: Path = ['spec', 'dataVolumeTemplates'];

/** The objects of a text; undefined with the reason if they are not what this page creates. */
export function objectsFrom(documents: readonly unknown[]): Objects | string {
  const vms = documents.filter((each) => isMapping(each) && each.kind === 'VirtualMachine');
  const secrets = documents.filter((each) => isMapping(each) && each.kind === 'Secret');
  const [vm] = vms;
  if (vms.length !== 1 || !isMapping(vm)) return 'The text must have exactly one VirtualMachine.';
  if (secrets.length > 1 || documents.length > vms.length + secrets.length)
    return 'Beside the VirtualMachine the text can have one Secret, and nothing else.';
  if (documents[0] !== vm) return 'The VirtualMachine must come first.';
  const [secret] = secrets;
  return { vm, ...(isMapping(secret) && { secret }) };
}

export const documentsOf = ({ vm, secret }: Objects): Mapping[] => (secret ? [vm, secret] : [vm]);

export const textAt = (object: Mapping, path: Path): string => {
  const value = valueAt(object, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export const listAt = (object: Mapping, path: Path): readonly Mapping[] => {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isMapping) : [];
};

export const withAt = (object: Mapping, path: Path, value: unknown): Mapping =>
  withValue(object, path, value) as Mapping;

/** An empty list says nothing, and is left out. */
export const withList = (object: Mapping, path: Path, list: readonly unknown[]): Mapping =>
  withAt(object, path, list.length === 0 ? undefined : list);

export const vmName = ({ vm }: Objects): string => textAt(vm, ['metadata', 'name']);
export const vmNamespace = ({ vm }: Objects): string => textAt(vm, ['metadata', 'namespace']);

export const moveVm = ({ vm, secret }: Objects, namespace: string): Objects => ({
  vm: withAt(vm, ['metadata', 'namespace'], namespace),
  ...(secret && { secret: withAt(secret, ['metadata', 'namespace'], namespace) }),
});
