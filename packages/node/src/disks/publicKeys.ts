import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { ReadSecret } from './cloudInit.ts';

/** The ways by which a disc carries keys into a guest. */
export type DiscMethod = 'noCloud' | 'configDrive';

/** The public keys that a VM's access credentials send by a disc of that kind, in the order of their Secrets. */
export async function publicKeys(
  { spec }: VirtualMachineInstance,
  method: DiscMethod,
  readSecret: ReadSecret,
): Promise<string[]> {
  const names = (spec.accessCredentials ?? []).flatMap(({ sshPublicKey }) => {
    const name = sshPublicKey?.propagationMethod?.[method] && sshPublicKey.source?.secret?.secretName;
    return name ? [name] : [];
  });
  const secrets = await Promise.all(names.map(readSecret));
  return secrets.flatMap((data) =>
    Object.keys(data)
      .sort()
      .flatMap((name) => keysIn(data[name]?.toString() ?? '')),
  );
}

/** Lines of an authorized_keys file: one key each, but for empty ones and remarks. */
export const keysIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
