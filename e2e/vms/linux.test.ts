import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { describe, expect, it, vi } from 'vitest';
import { useVms } from './fixture.ts';
import { linux } from './manifests.ts';

const { kubectl, vireo, console, create, untilStatus, clear } = useVms();

const USER_DATA = (name: string): string => `#cloud-config
hostname: ${name}
password: "it's \\"a\\" secret"
chpasswd: { expire: false }
write_files:
  - path: /etc/arrived
    content: |
      <data> for & '${name}'
`;

/** A VM on the pod network, told by cloud-init what to be. */
const told = (name: string, settings: object): string =>
  linux(name, settings, {
    devices: { interfaces: [{ name: 'default', masquerade: {} }] },
    spec: { networks: [{ name: 'default', pod: {} }] },
  });

describe('a Linux guest', () => {
  it('boots to its login prompt, with what cloud-init was given', async () => {
    await create(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'settings' },
        stringData: { userdata: USER_DATA('drive') },
      }),
      told('cloud', { cloudInitNoCloud: { userData: USER_DATA('cloud') } }),
      told('drive', { cloudInitConfigDrive: { secretRef: { name: 'settings' } } }),
    );
    await Promise.all(
      ['cloud', 'drive'].map(async (name) => {
        const session = await console(name);
        session.type('\r');
        await session.until(new RegExp(`${name} login:`));
        session.type('vireo\r');
        await session.until(/Password:/);
        session.type('it\'s "a" secret\r');
        await session.until(/[$#] /);
        session.type('cat /etc/arrived; echo "on $(hostname)"\r');
        const text = await session.until(new RegExp(`on ${name}\r?\n`));
        expect(text).toContain(`<data> for & '${name}'`);
        await session.close();
      }),
    );
  }, 240_000);

  it('tells of itself through its agent', async () => {
    await kubectl.do('wait vmi/cloud vmi/drive --for=condition=AgentConnected --timeout=120s');
    await kubectl.until('get vmi cloud -o jsonpath={.status.guestOSInfo.id}', /\w/);
    await kubectl.until('get vmi cloud -o jsonpath={.status.interfaces[0].ipAddress}', /^\d+\.\d+\.\d+\.\d+$/);
    const info = JSON.parse(await vireo('guestosinfo cloud')) as { hostname: string; os: { id: string } };
    expect(info).toMatchObject({ hostname: 'cloud', os: { id: expect.stringMatching(/\w/) } });
    expect(JSON.parse(await vireo('userlist cloud'))).toMatchObject({ items: expect.any(Array) });
    const filesystems = JSON.parse(await vireo('fslist cloud')) as { items: { mountPoint: string }[] };
    expect(filesystems.items.map(({ mountPoint }) => mountPoint)).toContain('/');
    // Guests are asked in the background: the first who looks sees nothing of it yet.
    await vi.waitFor(
      async () => {
        const metrics = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
        const labelsOf = (name: string): unknown[] =>
          (metrics.get(`kubevirt_vmi_${name}`)?.samples ?? [])
            .filter(({ labels, value }) => labels.name === 'cloud' && value > 0)
            .map(({ labels }) => labels);
        expect(labelsOf('filesystem_capacity_bytes')).toContainEqual(expect.objectContaining({ mount_point: '/' }));
        for (const name of ['network_receive_bytes_total', 'network_transmit_bytes_total'])
          expect(labelsOf(name)).toEqual([expect.objectContaining({ interface: 'default' })]);
        for (const name of ['memory_available_bytes', 'memory_usable_bytes', 'memory_unused_bytes'])
          expect(labelsOf(name), name).toHaveLength(1);
      },
      { timeout: 60_000, interval: 1_000 },
    );
  }, 180_000);

  it('shuts down in order when it is stopped', async () => {
    expect(await vireo('stop cloud')).toBe('VM cloud was scheduled to stop');
    await untilStatus('cloud', 'Stopped');
    expect(await kubectl('events --for vmi/cloud')).toMatch(
      /Normal +Stopped .*The VirtualMachineInstance was shut down\./,
    );
  }, 120_000);

  it('is gone with all that it left', clear, 120_000);
});
