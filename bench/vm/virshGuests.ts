import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NodeLayout } from '@vireo/node';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { firstByte } from '../vms/firstByte.ts';
import { destroyAll } from '../vms/libvirtd.ts';
import type { Contestant } from './guest.ts';
import { type Model, overlay } from './model.ts';

const run = promisify(execFile);

/** Guests by `virsh create` of the domain that Vireo makes, on a daemon of its own. Their disks are there before. */
export function virshGuests(layout: NodeLayout, model: Model): Contestant {
  const used: string[] = [];
  return {
    prepare: async (number) => {
      const uuid = randomUUID();
      const files = vmiFiles(layout, uuid);
      used.push(files.directory, files.sockets);
      await mkdir(files.directory, { recursive: true });
      await mkdir(files.sockets, { recursive: true });
      await overlay(model.image, join(files.directory, model.disk));
      const file = join(files.directory, 'domain.xml');
      await writeFile(file, model.domain({ name: `bench-${number}`, uuid, files }));
      return async () => {
        const startedAt = performance.now();
        const since = (): number => performance.now() - startedAt;
        const [runningMs, firstByteMs] = await Promise.all([
          virsh(layout, 'create', file).then(since),
          firstByte(files.serialLog).then(since),
        ]);
        return { runningMs, firstByteMs };
      };
    },
    clear: async () => {
      await destroyAll(layout);
      for (const directory of used.splice(0)) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Runs virsh on a node's daemon; resolves with what it prints. */
export async function virsh({ libvirtSocket, isRoot }: NodeLayout, ...args: string[]): Promise<string> {
  const uri = `qemu+unix:///${isRoot ? 'system' : 'session'}?socket=${libvirtSocket}`;
  return (await run('virsh', ['--quiet', '--connect', uri, ...args])).stdout;
}
