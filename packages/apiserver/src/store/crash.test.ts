import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { UnknownObject } from '@vireo/api';
import { afterAll, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { isDeletion } from './testing/writes.ts';

const ROUNDS = 20;
const home = mkdtempSync(join(tmpdir(), 'vireo-crash-'));
afterAll(() => rmSync(home, { recursive: true }));

interface Acknowledged {
  readonly key: string;
  readonly revision: number;
  readonly writer: number;
  readonly step: number;
}

/** Lets the writers run, kills them after `acks` acknowledgements, and returns every one that came out of the pipe. */
async function writeAndKill(file: string, round: number, acks: number): Promise<Acknowledged[]> {
  const program = fileURLToPath(new URL('./testing/crashWriter.ts', import.meta.url));
  const child = spawn(process.execPath, [program, file, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let lines = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    lines += text.split('\n').length - 1;
    if (lines > acks) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  const [ready, ...rest] = output.split('\n').slice(0, -1);
  expect(ready).toBe('ready');
  return rest.map((line) => JSON.parse(line) as Acknowledged);
}

/** What the log itself says: sound, and every row whole and at its own revision. */
function inspect(file: string): void {
  const db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const rows = db.prepare('SELECT key, rev, value FROM log').all() as unknown as {
    key: string;
    rev: number;
    value: Uint8Array;
  }[];
  db.close();
  const broken = rows.filter(({ key, rev, value }) => {
    const { metadata } = JSON.parse(Buffer.from(value).toString()) as UnknownObject;
    return metadata.name !== key.split('/').at(-1) || metadata.resourceVersion !== String(rev);
  });
  expect(broken).toEqual([]);
}

/**
 * The steps at which an object may be found, `absent` included: the one that was acknowledged last, or the one after it,
 * which may have become durable without its acknowledgement getting out. A writer has one write under way at a time.
 */
function possible({ writer, step }: Acknowledged): (number | 'absent')[] {
  if (isDeletion(writer, step)) return ['absent'];
  if (step % 4 === 3) return [step];
  return [step, isDeletion(writer, step + 1) ? 'absent' : step + 1];
}

test(`kill -9 amid 64 writers, ${ROUNDS} times: nothing acknowledged is lost, nothing is half written`, async () => {
  const file = join(home, 'store.db');
  /** The last acknowledged state of every key that was ever written. */
  const acknowledged = new Map<string, Acknowledged>();
  let total = 0;
  let newest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const acks = await writeAndKill(file, round, 100 + Math.floor(Math.random() * 400));
    expect(acks.length).toBeGreaterThanOrEqual(100);
    total += acks.length;
    for (const ack of acks) acknowledged.set(ack.key, ack);
    const revisions = acks.map(({ revision }) => revision);
    expect(Math.min(...revisions), 'revisions are never used again').toBeGreaterThan(newest);
    expect(new Set(revisions).size).toBe(acks.length);

    const store = await openSqliteStore({ file });
    const wrong = [...acknowledged.values()].filter((ack) => {
      const found = store.get(ack.key);
      if (found?.object.step === ack.step) return found.revision !== ack.revision;
      return !possible(ack).includes((found?.object.step as number | undefined) ?? 'absent');
    });
    expect(wrong).toEqual([]);
    newest = Math.max(store.revision, ...revisions);
    expect(store.revision).toBe(newest);
    await store.close();
    inspect(file);
  }
  expect(total).toBeGreaterThan(ROUNDS * 100);
  expect(acknowledged.size).toBeGreaterThan(ROUNDS * 20);
}, 120_000);
