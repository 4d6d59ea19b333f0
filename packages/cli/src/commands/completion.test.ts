import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runVireo } from '../testing/vireoProcess.ts';
import { shells } from './completion.ts';

/** Asks a real bash what it would offer for the last word. */
async function bashOffers(...words: string[]): Promise<string[]> {
  const { stdout: script } = await runVireo(['completion', 'bash']);
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vireo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', `${script}\n${ask}`, 'bash', 'vireo', ...words], { encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

it('bash completes commands, options and values', async () => {
  expect(await bashOffers('k')).toEqual(['kubeconfig']);
  expect(await bashOffers('up', '--')).toEqual(['--home', '--port', '--api-only', '--help']);
  expect(await bashOffers('status', '-o', '')).toEqual(['text', 'json']);
  expect(await bashOffers('completion', 'z')).toEqual(['zsh']);
  expect(await bashOffers('up', '--home', '/etc/ap')).toEqual(expect.arrayContaining(['/etc/apt']));
  expect(await bashOffers('help', 'd')).toEqual(['down']);
  expect(await bashOffers('pause', 'v')).toEqual(['vm', 'vmi']);
  expect(await bashOffers('vnc', 's')).toEqual(['screenshot']);
  expect(await bashOffers('stop', '--g')).toEqual(['--grace-period']);
  expect(await bashOffers('console', 'web', '--n')).toEqual(['--namespace']);
});

it.each(shells)('the script for %s names every command and option', async (shell) => {
  const { code, stdout } = await runVireo(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['up', 'down', 'status', 'kubeconfig', 'version', 'home', 'port', 'output']) {
    expect(stdout).toMatch(new RegExp(`\\b${word}\\b`));
  }
});
