import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `work` while no other process of this machine does so under the same lock file. A lock whose owner has died is
 * taken over.
 *
 * @template T
 * @param {string} path
 * @param {(owner: number) => void} onWait told once, when another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    const owner = readOwner(path);
    if (owner === undefined) continue;
    if (!isAlive(owner)) {
      breakLock(path, owner);
      continue;
    }
    if (!told) onWait(owner);
    told = true;
    await delay(100);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** The owner is written first and the name linked after, so nobody ever reads a lock without an owner. */
function tryLock(path) {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function readOwner(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the dead owner's lock away; puts it back when another process was quicker and it is a live one's by now. */
function breakLock(path, deadOwner) {
  const aside = `${path}.broken.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readOwner(aside) !== deadOwner) linkSync(aside, path);
  rmSync(aside, { force: true });
}
