import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { processRights } from '@vireo/node/testing/processStatus.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Console } from './console.ts';
import { useVms } from './fixture.ts';
import { processesWith } from './leftovers.ts';

const { kubectl, vireo, console, uidOf, untilReplaced, clear, home } = useVms();

/** A variable of a vendor's own, as its bytes after the attributes. */
const VARIABLE = '/sys/firmware/efi/efivars/Vireo-5d307ca9-b3ef-428c-8861-06e72d69f223';
const SECURE_BOOT = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c';

/** TPM2_NV_DefineSpace: eight bytes at index 0x01500001, for the owner, whose password is empty. */
const DEFINE_SPACE = '80020000002d0000012a40000001000000094000000900000000000000000e01500001000b0206000600000008';
/** TPM2_NV_ReadPublic of the same index. */
const READ_PUBLIC = '80010000000e0000016901500001';

/** Sends a command to the TPM and prints the code of its answer: 00 00 00 00 is success. */
const tpm = (command: string): string => {
  const bytes = command.replaceAll(/../g, '\\x$&');
  return `sudo sh -c 'exec 3<>/dev/tpm0; printf "${bytes}" >&3; dd bs=4k count=1 <&3 2>/dev/null | od -An -tx1 -j6 -N4'`;
};

/** The shell of a guest that has just booted. */
async function logIn(): Promise<{ run(command: string): Promise<string>; close(): Promise<void> }> {
  const session: Console = await console('guarded');
  await session.until(/vireo: boot complete/);
  session.type('\n');
  await session.until(/login: /);
  session.type('vireo\n');
  await session.until(/Password: /);
  session.type('vireo\n');
  await session.until(/\$ /);
  return {
    async run(command) {
      // The quotes keep the echo of the command from being taken for its answer.
      session.type(`${command} | sed 's/^/an''swer: /'; echo "en""ded"\n`);
      const text = await session.until(/ended\r?\n/);
      const own = text.split(/ended\r?\n/).at(-2) ?? '';
      return /^answer: (.*?)\r?$/m.exec(own)?.[1]?.trim() ?? '';
    },
    close: () => session.close(),
  };
}

const put = (action: string, body: object = {}): Promise<void> => {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/guarded/${action}`;
  return kubectl.do(`replace --raw ${path} -f -`, { input: JSON.stringify(body) });
};
const statusOf = async (kind: 'vm' | 'vmi', field: string): Promise<string> =>
  (await kubectl.run(`get ${kind} guarded -o jsonpath={.status.${field}}`)).stdout;

describe('a guarded VM', () => {
  let shell: Awaited<ReturnType<typeof logIn>>;
  beforeAll(async () => {
    await kubectl.do('apply -f examples/secure-boot-tpm.yaml');
    await kubectl.do('wait vmi/guarded --for=jsonpath={.status.phase}=Running --timeout=120s');
    shell = await logIn();
  }, 180_000);
  afterAll(async () => {
    await shell?.close();
    await kubectl.do('delete pvc --all --wait=false');
    await clear();
  }, 120_000);

  it('has booted with UEFI, under Secure Boot, and has a TPM', async () => {
    expect(await shell.run(`od -An -tx1 ${SECURE_BOOT}`)).toBe('06 00 00 00 01');
    expect(await shell.run('cat /sys/class/tpm/tpm0/tpm_version_major')).toBe('2');
    expect(await kubectl('get pvc -l persistent-state-for=guarded')).toMatch(/persistent-state-for-guarded-\S+ +Bound/);
  }, 60_000);

  it('has processes without privileges', async () => {
    const user = Number(await statusOf('vmi', 'runtimeUser'));
    const own = process.getuid?.() ?? 0;
    if (own === 0) expect(user).toBeGreaterThan(1_000_000);
    else expect(user).toBe(own);
    // QEMU, and the emulator of its TPM.
    const programs = ['qemu-system-x86_64', 'swtpm'];
    const guests = (await processesWith(await uidOf('guarded'))).filter(({ command }) =>
      programs.includes(basename(command[0] ?? '')),
    );
    expect(guests.map(({ command }) => basename(command[0] ?? '')).sort()).toEqual(programs);
    const uid = await uidOf('guarded');
    const { items } = await kubectl.json<{ items: { status: { conditions: { type: string; status: string }[] } }[] }>(
      'get nodes -o json',
    );
    const isLimited = items[0]?.status.conditions.find(({ type }) => type === 'GuestLimits')?.status === 'True';
    for (const { pid } of guests) {
      // In a group of the guest's own, where the host can limit it.
      const group = await readFile(`/proc/${pid}/cgroup`, 'utf8');
      expect(group.includes(`/${uid}\n`)).toBe(isLimited);
      const { uids, groups, noNewPrivileges, ...rights } = await processRights(pid);
      expect(uids).toEqual([user, user, user, user]);
      expect(rights).toMatchObject({ permitted: 0n, effective: 0n, hasSeccompFilter: true });
      if (own === 0) expect([noNewPrivileges, groups.includes(0)]).toEqual([true, false]);
    }
  });

  it('can be frozen, and thaws when its time is over', async () => {
    await kubectl.do('wait vmi/guarded --for=condition=AgentConnected --timeout=60s');
    await put('freeze', { unfreezeTimeout: '3s' });
    await kubectl.until('get vmi guarded -o jsonpath={.status.fsFreezeStatus}', 'frozen');
    expect(await shell.run('touch ~/thawed && ls ~/thawed')).toBe('/home/vireo/thawed');
    await kubectl.until('get vmi guarded -o jsonpath=[{.status.fsFreezeStatus}]', '[]');
    await put('freeze', { unfreezeTimeout: '5m' });
    await kubectl.until('get vmi guarded -o jsonpath={.status.fsFreezeStatus}', 'frozen');
    await put('unfreeze');
    expect(await shell.run('touch ~/again && ls ~/again')).toBe('/home/vireo/again');
  }, 60_000);

  it('has its memory written to a claim', async () => {
    expect(await vireo('memory-dump get guarded --claim-name=dumps --create-claim')).toBe(
      'PVC default/dumps created\nSuccessfully submitted memory dump request of VM guarded',
    );
    await kubectl.do('wait vm/guarded --for=jsonpath={.status.memoryDumpRequest.phase}=Completed --timeout=60s');
    const volume = (await kubectl.run('get pvc dumps -o jsonpath={.spec.volumeName}')).stdout;
    const fileName = await statusOf('vm', 'memoryDumpRequest.fileName');
    expect(fileName).toMatch(/^guarded-dumps-.*\.memory\.dump$/);
    expect(await readdir(join(home(), 'volumes', volume))).toContain(fileName);
    expect(await vireo('memory-dump remove guarded')).toBe(
      'Successfully submitted remove memory dump association of VM guarded',
    );
    await kubectl.until('get vm guarded -o jsonpath=[{.status.memoryDumpRequest}]', '[]');
    expect(await vireo('memory-dump get guarded --claim-name=none')).toContain(
      'persistentvolumeclaims "none" not found',
    );
  }, 60_000);

  it('remembers what was written into its firmware and its TPM', async () => {
    await shell.run(`printf '\\007\\000\\000\\000kept' | sudo tee ${VARIABLE} >/dev/null`);
    expect(await shell.run(tpm(READ_PUBLIC))).not.toBe('00 00 00 00');
    expect(await shell.run(tpm(DEFINE_SPACE))).toBe('00 00 00 00');
    await shell.close();
    const uid = await uidOf('guarded');
    expect(await vireo('restart guarded')).toBe('VM guarded was scheduled to restart');
    await untilReplaced('guarded', uid);
    shell = await logIn();
    expect(await shell.run(`echo $(tail -c 4 ${VARIABLE})`)).toBe('kept');
    expect(await shell.run(tpm(READ_PUBLIC))).toBe('00 00 00 00');
  }, 180_000);
});
