import type { Secret } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Failure } from '../../../failure.ts';

const credentialsOf = ({ spec }: VirtualMachine) => spec.template?.spec?.accessCredentials ?? [];

/** The secrets whose keys the agent in the guest gives to a user. */
export function sshSecretsOf(vm: VirtualMachine, user: string): string[] {
  return credentialsOf(vm).flatMap(({ sshPublicKey }) => {
    const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users ?? [];
    const name = sshPublicKey?.source.secret?.secretName;
    return name && users.includes(user) ? [name] : [];
  });
}

/** The secrets whose passwords the agent in the guest sets. */
export function passwordSecretsOf(vm: VirtualMachine): string[] {
  return credentialsOf(vm).flatMap(({ userPassword }) => {
    const name = userPassword?.source.secret?.secretName;
    return name && userPassword?.propagationMethod.qemuGuestAgent ? [name] : [];
  });
}

/** The one that is meant, of those that the VM has. */
export function chooseSecret(secrets: readonly string[], wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (secrets.includes(wanted)) return wanted;
    throw new Failure(`secret ${wanted} was not assigned`, `Assigned are: ${secrets.join(', ')}`);
  }
  const [only, ...more] = secrets;
  if (only !== undefined && more.length === 0) return only;
  throw new Failure('multiple secrets specified, use option --secret to specify which secret to modify');
}

/** A secret that the VM does not own may serve others too. */
export function requireOwned({ metadata }: Secret, vm: VirtualMachine, force: boolean): void {
  const owns = metadata.ownerReferences?.some(
    ({ kind, name, uid }) => kind === 'VirtualMachine' && name === vm.metadata.name && uid === vm.metadata.uid,
  );
  if (!owns && !force)
    throw new Failure(
      `secret ${metadata.name} does not have an owner reference pointing to VM ${vm.metadata.name}`,
      'To change it anyway: --force.',
    );
}

const linesOf = (data: string): string[] => Buffer.from(data, 'base64').toString().split('\n');
const isKey = (line: string, key: string): boolean => line.trim().startsWith(key);

/** Whether one of the secret's entries has the key. */
export const hasKey = ({ data = {} }: Secret, key: string): boolean =>
  Object.values(data).some((value) => linesOf(value).some((line) => isKey(line, key)));

/** What becomes of the secret's entries without the key: null where nothing is left. */
export function withoutKey({ data = {} }: Secret, key: string): Record<string, string | null> {
  const changed = Object.entries(data).filter(([, value]) => linesOf(value).some((line) => isKey(line, key)));
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const left = linesOf(value).filter((line) => !isKey(line, key) && line.trim() !== '');
      return [name, left.length > 0 ? base64(left.join('\n')) : null];
    }),
  );
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
