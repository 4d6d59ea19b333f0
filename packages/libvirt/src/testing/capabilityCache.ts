/**
 * libvirt asks QEMU what it can do before it serves, which takes seconds, and keeps the answers. Daemons of tests share
 * them through the project's cache. libvirt itself notices when answers are out of date.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Answers depend on who asks: root may use KVM where others may not. */
export const capabilityCache = fileURLToPath(
  new URL(`../../../../.cache/libvirt/uid-${process.getuid?.()}`, import.meta.url),
);

export async function restoreCapabilities(directory: string): Promise<void> {
  await mkdir(capabilityCache, { recursive: true });
  await mkdir(directory, { recursive: true });
  for (const name of await answersIn(capabilityCache))
    await copyFile(join(capabilityCache, name), join(directory, name));
}

/** Puts each new answer in place whole, for other test files may be reading. */
export async function storeCapabilities(directory: string): Promise<void> {
  for (const name of await answersIn(directory)) {
    if (await isSame(join(directory, name), join(capabilityCache, name))) continue;
    const temporary = join(capabilityCache, randomUUID());
    await copyFile(join(directory, name), temporary);
    await rename(temporary, join(capabilityCache, name));
  }
}

const answersIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.endsWith('.xml'));

async function isSame(one: string, other: string): Promise<boolean> {
  try {
    return (await readFile(one)).equals(await readFile(other));
  } catch {
    return false;
  }
}
