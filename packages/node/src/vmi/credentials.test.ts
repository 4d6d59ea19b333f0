import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { UID, vmiIn } from '../testing/objects.ts';
import { agentCredentials, hasAgentCredentials, syncCredentials } from './credentials.ts';

type Credentials = NonNullable<VirtualMachineInstanceSpec['accessCredentials']>;

const keysFor = (secretName: string, ...users: string[]): Credentials[number] => ({
  sshPublicKey: { source: { secret: { secretName } }, propagationMethod: { qemuGuestAgent: { users } } },
});
const passwordsFrom = (secretName: string): Credentials[number] => ({
  userPassword: { source: { secret: { secretName } }, propagationMethod: { qemuGuestAgent: {} } },
});
const byDisc: Credentials[number] = {
  sshPublicKey: { source: { secret: { secretName: 'team' } }, propagationMethod: { noCloud: {} } },
};
const local = (...accessCredentials: Credentials) => vmiIn('Running', {}, { accessCredentials });
const domain = { name: 'web', uuid: UID, id: 1 };

/** Secrets by name, and an agent that notes what it is asked. */
function secretsOf(secrets: Record<string, Record<string, string>>, refusal?: Error) {
  const asked: string[] = [];
  const note = async (what: string): Promise<void> => {
    if (refusal) throw refusal;
    asked.push(what);
  };
  return {
    asked,
    nowMs: 1,
    readSecret: async (name: string) => {
      const found = secrets[name];
      if (!found) throw new Error(`secrets "${name}" not found`);
      return Object.fromEntries(Object.entries(found).map(([key, value]) => [key, Buffer.from(value)]));
    },
    calls: {
      setAuthorizedSshKeys: (_: unknown, user: string, keys: string[]) => note(`${user} ${keys.join('|')}`),
      setUserPassword: (_: unknown, user: string, password: string) => note(`${user}:${password}`),
    },
  };
}
const team = { team: { bob: 'ssh-rsa B\n', alice: 'ssh-rsa A' }, boss: { key: 'ssh-rsa C' }, pass: { root: 'hush\n' } };

describe('credentials by the agent', () => {
  it('are those that name it', async () => {
    expect(hasAgentCredentials(local(byDisc))).toBe(false);
    expect(hasAgentCredentials(local(byDisc, passwordsFrom('pass')))).toBe(true);
    const vmi = local(byDisc, keysFor('team', 'root', 'vireo'), keysFor('boss', 'root'), passwordsFrom('pass'));
    const { keys, passwords } = await agentCredentials(vmi, secretsOf(team).readSecret);
    expect({ ...keys }).toEqual({ root: ['ssh-rsa A', 'ssh-rsa B', 'ssh-rsa C'], vireo: ['ssh-rsa A', 'ssh-rsa B'] });
    expect({ ...passwords }).toEqual({ root: 'hush' });
  });

  it('are handed over once, and again when a Secret changes', async () => {
    const vmi = local(keysFor('boss', 'root'), passwordsFrom('pass'));
    const first = secretsOf(team);
    const synced = await syncCredentials(vmi, domain, undefined, first);
    expect(synced?.condition).toEqual({ status: 'True' });
    expect(first.asked).toEqual(['root ssh-rsa C', 'root:hush']);
    const second = secretsOf(team);
    expect(await syncCredentials(vmi, domain, synced, second)).toEqual(synced);
    expect(second.asked).toEqual([]);
    const third = secretsOf({ ...team, pass: { root: 'new' } });
    await syncCredentials(vmi, domain, synced, third);
    expect(third.asked).toEqual(['root ssh-rsa C', 'root:new']);
  });

  it('that cannot be handed over are reported, and tried again', async () => {
    const vmi = local(passwordsFrom('pass'));
    const failed = await syncCredentials(vmi, domain, undefined, secretsOf(team, new Error('no user root')));
    expect(failed).toEqual({ checkedAtMs: 1, condition: { status: 'False', message: 'no user root' } });
    const again = secretsOf(team);
    expect((await syncCredentials(vmi, domain, failed, again))?.condition.status).toBe('True');
    expect(again.asked).toEqual(['root:hush']);
  });

  it('of a Secret that is not there are reported', async () => {
    const { condition } =
      (await syncCredentials(local(passwordsFrom('lost')), domain, undefined, secretsOf(team))) ?? {};
    expect(condition).toEqual({ status: 'False', message: 'secrets "lost" not found' });
  });
});
