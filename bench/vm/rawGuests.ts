import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { end } from '../processes.ts';
import { firstByte } from '../vms/firstByte.ts';
import type { Contestant } from './guest.ts';
import { type Model, overlay } from './model.ts';

/** Guests by a QEMU that is started by hand: the same processor, memory and disk, and nothing else. */
export function rawGuests(directory: string, { image, accelerator }: Model): Contestant {
  const children: ChildProcess[] = [];
  const used: string[] = [];
  return {
    prepare: async (number) => {
      const [disk, log] = [join(directory, `raw-${number}.qcow2`), join(directory, `raw-${number}.log`)];
      used.push(disk, log);
      await overlay(image, disk);
      return async () => {
        const startedAt = performance.now();
        children.push(spawn('qemu-system-x86_64', qemuArguments(accelerator, disk, log), { stdio: 'ignore' }));
        await firstByte(log);
        const firstByteMs = performance.now() - startedAt;
        return { runningMs: firstByteMs, firstByteMs };
      };
    },
    clear: async () => {
      await Promise.all(children.splice(0).map((child) => end(child, 'SIGKILL')));
      for (const file of used.splice(0)) await rm(file, { force: true });
    },
  };
}

const qemuArguments = (accelerator: string, disk: string, log: string): string[] => [
  '-nodefaults',
  '-no-user-config',
  ...['-display', 'none'],
  ...['-machine', 'q35', '-accel', accelerator, '-m', '64'],
  ...['-drive', `file=${disk},if=virtio,format=qcow2`],
  ...['-serial', `file:${log}`],
];
