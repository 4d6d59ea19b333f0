import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { cloudInitImage } from './cloudInit.ts';
import { type DiscMethod, publicKeys } from './publicKeys.ts';

type Credentials = NonNullable<VirtualMachineInstanceSpec['accessCredentials']>;

const by = (method: string, secretName: string): Credentials[number] => ({
  sshPublicKey: { source: { secret: { secretName } }, propagationMethod: { [method]: {} } },
});
const secrets: Record<string, Record<string, Buffer>> = {
  team: {
    bob: Buffer.from('ssh-rsa BBBB bob\n'),
    alice: Buffer.from('# at home\nssh-rsa AAAA alice\n\nssh-rsa A2 alice'),
  },
  boss: { key: Buffer.from('ssh-ed25519 CCCC boss') },
};
const readSecret = async (name: string) => {
  const found = secrets[name];
  if (!found) throw new Error(`secrets "${name}" not found`);
  return found;
};
const vmiWith = (...accessCredentials: Credentials) => vmiIn('Scheduling', {}, { accessCredentials });

describe('public keys', () => {
  it('come from every Secret that goes by the disc, a line each', async () => {
    const vmi = vmiWith(by('noCloud', 'team'), by('configDrive', 'none'), by('noCloud', 'boss'));
    expect(await publicKeys(vmi, 'noCloud', readSecret)).toEqual([
      'ssh-rsa AAAA alice',
      'ssh-rsa A2 alice',
      'ssh-rsa BBBB bob',
      'ssh-ed25519 CCCC boss',
    ]);
  });

  it('are none where the agent brings them', async () => {
    expect(await publicKeys(vmiWith(by('qemuGuestAgent', 'team')), 'noCloud', readSecret)).toEqual([]);
  });

  it('of a Secret that is not there stop the VM', async () => {
    await expect(publicKeys(vmiWith(by('configDrive', 'lost')), 'configDrive', readSecret)).rejects.toThrow('"lost"');
  });
});

describe('what a disc tells of the VM', () => {
  const metaData = (method: DiscMethod, keys: string[], annotations: Record<string, string> = {}): string => {
    const plain = vmiWith();
    const vmi = { ...plain, metadata: { ...plain.metadata, annotations } };
    return cloudInitImage(vmi, method, { userData: '', networkData: '', publicKeys: keys }).toString('latin1');
  };

  it.each<[DiscMethod, string, string]>([
    ['noCloud', '"public-keys":{"0":"ssh-rsa A","1":"ssh-rsa B"}', '"instance-type":"u1.nano"'],
    ['configDrive', '"public_keys":{"0":"ssh-rsa A","1":"ssh-rsa B"}', '"instance_type":"u1.nano"'],
  ])('%s has keys and instance type where cloud-init looks for them', (method, keys, type) => {
    const disc = metaData(method, ['ssh-rsa A', 'ssh-rsa B'], { 'kubevirt.io/cluster-instancetype-name': 'u1.nano' });
    expect(disc).toContain(keys);
    expect(disc).toContain(type);
  });

  it('has neither where there is none', () => {
    expect(metaData('noCloud', [])).not.toMatch(/public-keys|instance-type/);
  });
});
