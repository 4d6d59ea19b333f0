import { afterEach, expect, it, vi } from 'vitest';
import { configureLog, consoleLog } from './consoleLog.ts';

const written = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => {
  configureLog({ format: 'text', level: 'info' });
  written.mockClear();
});

const lines = (): string[] => written.mock.calls.map(([line]) => String(line));
const sayAll = (): void => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    consoleLog[level](`100% ${level}`, { kind: 'Node', name: 'n' });
};

it.each([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
] as const)('at the level %s, %i of four are written', (level, count) => {
  configureLog({ level });
  sayAll();
  expect(lines()).toHaveLength(count);
  expect(lines().at(-1)).toMatch(/^\S+Z error 100% error kind=Node name=n$/);
});

it('writes JSON where that is asked for', () => {
  configureLog({ format: 'json' });
  sayAll();
  expect(lines().map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['info', 'warn', 'error']);
});
