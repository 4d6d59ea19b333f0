import { describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';

const { kubectl, vireo, console, create, untilStatus, clear } = useVms();

/** Shows at every start what is on the data disk, and who the VM is. */
const USER_DATA = `#cloud-config
bootcmd:
  - mkdir -p /data; mount /dev/vdb /data || { mkfs.ext4 -q /dev/vdb; mount /dev/vdb /data; }
  - echo "the note says '$(cat /data/note)'"
  - key=/etc/dropbear/dropbear_ed25519_host_key
  - test -e $key || dropbearkey -t ed25519 -f $key >/dev/null 2>&1
  - id="machine $(cat /etc/machine-id), host key $(dropbearkey -y -f $key | grep -o 'SHA256.*')"
  - echo "I am $(cat /sys/class/dmi/id/product_uuid) at $(cat /sys/class/net/e*/address), $(hostname), $id."
`;

const KEEPER = JSON.stringify({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'keeper' },
  spec: {
    runStrategy: 'Always',
    dataVolumeTemplates: [
      {
        metadata: { name: 'keeper-root' },
        spec: {
          source: { registry: { url: 'docker://vireo/guest' } },
          storage: { resources: { requests: { storage: '512Mi' } } },
        },
      },
      {
        metadata: { name: 'keeper-data' },
        spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } },
      },
    ],
    template: {
      spec: {
        domain: {
          memory: { guest: '256Mi' },
          devices: {
            disks: ['root', 'data', 'seed'].map((name) => ({ name, disk: { bus: 'virtio' } })),
            interfaces: [{ name: 'default', masquerade: {}, macAddress: '02:00:00:aa:bb:cc' }],
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [
          { name: 'root', dataVolume: { name: 'keeper-root' } },
          { name: 'data', dataVolume: { name: 'keeper-data' } },
          { name: 'seed', cloudInitNoCloud: { userData: USER_DATA } },
        ],
      },
    },
  },
});

const logs = (name: string): string => `logs -l vm.kubevirt.io/name=${name} --tail=-1`;

/** Logs in on the console, and writes notes on the data disk. Nothing tells the guest to flush them. */
async function writer(name: string): Promise<{ note(text: string): Promise<void>; close(): Promise<void> }> {
  const session = await console(name);
  session.type('\r');
  await session.until(/login: /);
  session.type('vireo\r');
  await session.until(/Password: /);
  session.type('vireo\r');
  await session.until(/[$#] /);
  return {
    async note(text) {
      session.type(`echo ${text} | sudo tee /data/note; echo "wrote ""${text}"\r`);
      await session.until(new RegExp(`wrote ${text}\r?\n`));
    },
    close: () => session.close(),
  };
}

describe('a Linux guest', () => {
  it('is kept while it runs, frozen by its agent', async () => {
    await create(KEEPER);
    await untilStatus('keeper', 'Running');
    await kubectl.do('wait vmi/keeper --for=condition=AgentConnected --timeout=120s');
    await kubectl.until(logs('keeper'), /I am \S+ at 02:00:00:aa:bb:cc, .*SHA256/);
    const hand = await writer('keeper');
    await hand.note('first');
    expect(await vireo('snapshot create keeper before')).toContain(
      'Snapshot before of VM keeper is ready: disks data, root (not seed); GuestAgent, Online',
    );
    // It writes again: nothing stays frozen, and nothing is held.
    await hand.note('second');
    await hand.close();
    expect(await kubectl('get vm keeper -o jsonpath={.status.snapshotInProgress}{.status.printableStatus}')).toBe(
      'Running',
    );
  }, 240_000);

  it('has its old data back after a restore; a clone has it as well, and is another VM', async () => {
    await kubectl.do('create -f -', {
      input: JSON.stringify({
        apiVersion: 'clone.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClone',
        metadata: { name: 'twin' },
        spec: {
          source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'before' },
          target: { name: 'twin', kind: 'VirtualMachine' },
        },
      }),
    });
    const old = await identity('keeper');
    const output = await vireo('snapshot restore keeper before --stop');
    expect(output).toContain('VM keeper was restored from before');
    expect(output).toContain('VM keeper was scheduled to start');
    await kubectl.do('wait vmclone/twin --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
    await vireo('start twin');
    for (const name of ['keeper', 'twin']) await kubectl.until(logs(name), /the note says 'first'/);
    for (const name of ['keeper', 'twin']) await kubectl.until(logs(name), /I am \S+ at .*SHA256/);
    const [keeper, twin] = [await identity('keeper'), await identity('twin')];
    expect(keeper).toEqual(old);
    expect([keeper.hostname, twin.hostname]).toEqual(['keeper', 'twin']);
    for (const part of ['uuid', 'mac', 'machineId', 'hostKey'] as const) expect(twin[part]).not.toBe(keeper[part]);
  }, 300_000);

  it('leaves nothing behind that nobody asked for', async () => {
    expect(await kubectl('get vmsnapshot,vmrestore -o name')).not.toContain('tmp-');
    expect(await kubectl('get dv -o name')).not.toContain('keeper-data');
    expect(await vireo('snapshot delete keeper before')).toContain('deleted');
    await kubectl.do('delete vm keeper twin --timeout=90s');
    await kubectl.until('get vmsnapshot,vmsnapshotcontent,volumesnapshot,volumesnapshotcontent', 'No resources found');
  }, 120_000);

  it('of the examples is kept and copied as they say', async () => {
    await kubectl.do('apply -f examples/snapshot.yaml');
    await kubectl.do('wait vmclone/diary-copy --for=jsonpath={.status.phase}=Succeeded --timeout=90s');
    expect(await kubectl('get vmsnapshot clean')).toMatch(/clean +VirtualMachine +diary +Succeeded +true/);
    await untilStatus('diary-copy', 'Stopped');
    await vireo('stop diary --force --grace-period=0');
    await clear();
  }, 180_000);
});

type Identity = Record<'uuid' | 'mac' | 'hostname' | 'machineId' | 'hostKey', string>;

/** Who a guest found itself to be. */
async function identity(name: string): Promise<Identity> {
  const { stdout } = await kubectl.run(logs(name));
  const words =
    /I am (?<uuid>\S+) at (?<mac>\S+), (?<hostname>\S+), machine (?<machineId>\S+), host key (?<hostKey>\S+)\./g;
  const found = [...stdout.matchAll(words)].at(-1)?.groups;
  expect(found).toBeDefined();
  return { ...found } as Identity;
}
