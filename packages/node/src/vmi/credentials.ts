import { createHash } from 'node:crypto';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Calls, CallTimeoutError, ConnectionError, type DomainRef } from '@vireo/libvirt';
import type { ReadSecret } from '../disks/cloudInit.ts';
import { keysIn } from '../disks/publicKeys.ts';

/** What users of a guest are to have. */
export interface AgentCredentials {
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly passwords: Readonly<Record<string, string>>;
}

/** What became of credentials, kept so that the same is not done twice. */
export interface SyncedCredentials {
  readonly checkedAtMs: number;
  /** Of what was last handed over; a password that its user changed since is left alone. */
  readonly digest?: string | undefined;
  readonly condition: Omit<VmiCondition, 'type'>;
}

const byAgent = ({ spec }: VirtualMachineInstance) =>
  (spec.accessCredentials ?? []).filter(
    ({ sshPublicKey, userPassword }) =>
      sshPublicKey?.propagationMethod?.qemuGuestAgent ?? userPassword?.propagationMethod?.qemuGuestAgent,
  );

/** Whether the guest's agent has credentials to hand over. */
export const hasAgentCredentials = (vmi: VirtualMachineInstance): boolean => byAgent(vmi).length > 0;

/** Reads what the Secrets of a VMI give its guest's users: keys from all values, passwords by names of users. */
export async function agentCredentials(vmi: VirtualMachineInstance, readSecret: ReadSecret): Promise<AgentCredentials> {
  const keys: Record<string, string[]> = Object.create(null);
  const passwords: Record<string, string> = Object.create(null);
  for (const { sshPublicKey, userPassword } of byAgent(vmi)) {
    const secret = sshPublicKey?.source?.secret ?? userPassword?.source?.secret;
    const data = Object.entries(await readSecret(secret?.secretName ?? '')).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const user of sshPublicKey?.propagationMethod?.qemuGuestAgent?.users ?? [])
      keys[user] = [...(keys[user] ?? []), ...data.flatMap(([, value]) => keysIn(value.toString()))];
    if (userPassword) for (const [user, value] of data) passwords[user] = value.toString().replace(/\n$/, '');
  }
  return { keys, passwords };
}

const CALL_OPTIONS = { timeoutMs: 10_000 };

type AgentCalls = Pick<Calls, 'setAuthorizedSshKeys' | 'setUserPassword'>;

/**
 * Hands credentials to the agent when they have changed since `last`. Undefined: the agent could not be asked, nothing
 * is known.
 */
export async function syncCredentials(
  vmi: VirtualMachineInstance,
  domain: DomainRef,
  last: SyncedCredentials | undefined,
  {
    calls,
    readSecret,
    nowMs: checkedAtMs,
  }: { readonly calls: AgentCalls; readonly readSecret: ReadSecret; readonly nowMs: number },
): Promise<SyncedCredentials | undefined> {
  try {
    const { keys, passwords } = await agentCredentials(vmi, readSecret);
    const digest = createHash('sha256')
      .update(JSON.stringify([keys, passwords]))
      .digest('base64');
    if (last && last.digest === digest) return { ...last, checkedAtMs };
    for (const [user, own] of Object.entries(keys))
      await calls.setAuthorizedSshKeys(domain, user, [...own], 0, CALL_OPTIONS);
    for (const [user, password] of Object.entries(passwords))
      await calls.setUserPassword(domain, user, password, 0, CALL_OPTIONS);
    return { checkedAtMs, digest, condition: { status: 'True' } };
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof CallTimeoutError) return last;
    const message = error instanceof Error ? error.message : String(error);
    return { checkedAtMs, condition: { status: 'False', message } };
  }
}
