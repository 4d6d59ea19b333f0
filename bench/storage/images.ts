import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MIB = 1 << 20;

/** The same disk in two files. */
export interface Images {
  readonly raw: string;
  readonly qcow2: string;
}

/** Makes a disk whose first half is data that nothing can shorten, and whose second half is a hole. */
export async function makeImages(directory: string, diskMib: number): Promise<Images> {
  const [raw, qcow2] = [join(directory, 'disk.raw'), join(directory, 'disk.qcow2')];
  const file = await open(raw, 'w');
  try {
    for (let at = 0; at < diskMib / 2; at++) await file.write(randomBytes(MIB), 0, MIB, at * MIB);
    await file.truncate(diskMib * MIB);
  } finally {
    await file.close();
  }
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2]);
  return { raw, qcow2 };
}

/** What Vireo's copies have to be as fast as; the data is on the disk afterwards, as it is with Vireo. */
export const TOOLS = {
  cp: (from: string, to: string) => run('cp', ['--reflink=auto', '--', from, to]),
  convert: (from: string, to: string) => run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', from, to]),
} as const;

/** Milliseconds until a tool has made a file and that is on the disk. */
export async function timeTool(tool: keyof typeof TOOLS, from: string, to: string): Promise<number> {
  const startedAt = performance.now();
  await TOOLS[tool](from, to);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return performance.now() - startedAt;
}
