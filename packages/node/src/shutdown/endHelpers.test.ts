import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { livingDaemons, startShare, stopShares } from '../filesystems/daemons.ts';
import { NOBODY } from '../filesystems/owner.ts';
import { findVirtiofsd } from '../filesystems/program.ts';
import { writeLedger } from '../guests/ledger.ts';
import { commandAs } from '../guests/processes.ts';
import { ownLayout } from './leftRunning.ts';
import { shutDownNode } from './shutDownNode.ts';

const isRoot = process.getuid?.() === 0;
const isInstalled = (await findVirtiofsd()) !== undefined;

let home = '';
let directory = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-down-'));
  directory = join(ownLayout(home).vmis, 'web');
  await mkdir(directory, { recursive: true });
});
afterEach(async () => {
  await stopShares(directory);
  await rm(home, { recursive: true });
});

it.runIf(isInstalled)('a virtiofsd that no guest has connected to ends with its node', async () => {
  const shared = join(home, 'shared');
  await mkdir(shared);
  const share = { name: 'share', directory: shared, isReadOnly: false, ...(isRoot && { owner: NOBODY }) };
  const ended = Promise.withResolvers<void>();
  await startShare(share, { directory, sockets: join(home, 's'), onExit: ended.resolve });
  expect(await livingDaemons(directory)).toHaveLength(1);
  await shutDownNode(home, { log: memoryLog() });
  await ended.promise;
});

it.runIf(isRoot)('a process of a guest’s user, such as its TPM, ends with its node', async () => {
  const user = { uid: 1_890_000_000 + process.pid, gid: 1_890_000_000 };
  const [command = '', ...words] = commandAs(user, ['sh', '-c', 'echo; exec sleep 600']);
  const tpm = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' });
  try {
    const ended = once(tpm, 'exit');
    await once(tpm.stdout, 'data');
    await writeLedger(directory, { ...user, grants: [] });
    await shutDownNode(home, { log: memoryLog() });
    expect(await ended).toEqual([null, 'SIGKILL']);
  } finally {
    tpm.kill('SIGKILL');
  }
});
