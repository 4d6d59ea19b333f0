import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storeContract } from './contract.ts';
import { openSqliteStore } from './sqlite.ts';

const home = mkdtempSync(join(tmpdir(), 'vireo-store-'));
afterAll(() => rmSync(home, { recursive: true }));
let files = 0;
const newFile = (): string => join(home, `store-${++files}.db`);

storeContract('sqlite', () => openSqliteStore({ file: newFile() }));
