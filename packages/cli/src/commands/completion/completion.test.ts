import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../program.ts';
import { isolatedEnvironment, runVireo } from '../../testing/vireoProcess.ts';
import { isInstalled } from '../vms/vnc/viewers.ts';
import { connectionIn } from './complete.ts';
import { shells } from './completion.ts';
import { wanted } from './wanted.ts';

const program = fileURLToPath(new URL('../../../../../bin/virtctl', import.meta.url));

/** Asks a real bash what it would offer for the last word; bash has split the line at `=` and `:`. */
async function bashOffers(...words: string[]): Promise<string[]> {
  const { stdout: script } = await runVireo(['completion', 'bash'], { VIREO_CALLED_AS: 'virtctl' });
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _virtctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', `${script}\n${ask}`, 'bash', program, ...words], {
    encoding: 'utf8',
    env: isolatedEnvironment({ KUBECONFIG: '/nowhere/config' }),
  });
  return output.split('\n').filter((line) => line !== '');
}

it('bash completes commands, options and values', async () => {
  expect(await bashOffers('k')).toEqual(['kubeconfig']);
  expect(await bashOffers('up', '--por')).toEqual(['--port']);
  expect(await bashOffers('status', '-o', '')).toEqual(['text', 'json']);
  expect(await bashOffers('status', '--output', '=', 'j')).toEqual(['json']);
  expect(await bashOffers('completion', 'z')).toEqual(['zsh']);
  expect(await bashOffers('up', '--home', '/etc/ap')).toEqual(expect.arrayContaining(['/etc/apt']));
  expect(await bashOffers('pause', 'v')).toEqual(['vm', 'vmi']);
  expect(await bashOffers('vnc', 'screenshot', '--mo')).toEqual(['--move-cursor']);
  expect(await bashOffers('stop', '--g')).toEqual(['--grace-period']);
  expect(await bashOffers('launch', 'f')).toEqual(['fedora']);
  expect(await bashOffers('launch', 'debian', '--ep')).toEqual(['--ephemeral']);
  expect(await bashOffers('wait', 'web', '--for', 'a')).toEqual(['agent', 'address']);
  expect(await bashOffers('logs', '--f')).toEqual(['--follow']);
  // Without a server there is nothing to offer, and no error in the middle of the line.
  expect(await bashOffers('start', '')).toEqual([]);
});

it.skipIf(!isInstalled('fish'))('fish completes commands with what they do', async () => {
  const { stdout: script } = await runVireo(['completion', 'fish'], { VIREO_CALLED_AS: 'virtctl' });
  const env = isolatedEnvironment({ KUBECONFIG: '/nowhere/config', PATH: `${dirname(program)}:${process.env.PATH}` });
  const output = execFileSync('fish', ['-N', '-c', `${script}\ncomplete -C 'virtctl soft'`], { encoding: 'utf8', env });
  expect(output).toBe('soft-reboot\task a guest to reboot\n');
});

describe('what is wanted', () => {
  it.each([
    { line: 'start ', is: { type: 'names', of: 'vm', before: '' } },
    { line: '-n lab console w', is: { type: 'names', of: 'vmi', before: '' } },
    { line: 'pause vmi ', is: { type: 'names', of: 'vmi', before: '' } },
    { line: 'ssh me@', is: { type: 'names', of: 'guest', before: 'me@' } },
    { line: 'info ', is: { type: 'names', of: 'vm', before: '' } },
    { line: 'shell me@', is: { type: 'names', of: 'vm', before: 'me@' } },
    { line: 'delete web ', is: { type: 'names', of: 'vm', before: '' } },
    { line: 'copy file ', is: { type: 'filesOrVms' } },
    { line: 'ls -o j', is: { type: 'words', words: ['wide', 'json', 'yaml', 'name'].map((value) => ({ value })) } },
    { line: 'start web -n ', is: { type: 'names', of: 'namespace', before: '' } },
    { line: 'start web --namespace=', is: { type: 'names', of: 'namespace', before: '--namespace=' } },
    { line: 'vnc ', is: { type: 'names', of: 'vmi', before: '' } },
    { line: 'start --kubeconfig ', is: { type: 'files' } },
    { line: 'up --home ', is: { type: 'directories' } },
    { line: 'logs --home ', is: { type: 'directories' } },
    { line: 'mount ', is: { type: 'names', of: 'vm', before: '' } },
    { line: 'mount web ', is: { type: 'directories' } },
    { line: 'wait ', is: { type: 'names', of: 'vm', before: '' } },
    { line: 'launch --network ', is: { type: 'names', of: 'network', before: '' } },
    { line: 'launch --ssh-key ', is: { type: 'files' } },
    { line: 'launch debian --cloud-init ', is: { type: 'files' } },
    { line: 'launch debian ', is: { type: 'nothing' } },
    { line: 'start web more', is: { type: 'nothing' } },
    { line: 'stop web --grace-period ', is: { type: 'nothing' } },
  ])('at the end of "$line"', ({ line, is }) => {
    expect(wanted(buildProgram(), line.split(' '))).toEqual(is);
  });
});

it('the server that is asked is the one of the line', () => {
  expect(connectionIn(['-n', 'lab', 'start', '--context=prod', 'web', '--kubeconfig', 'half'])).toEqual({
    namespace: 'lab',
    context: 'prod',
  });
});

it.each(shells)('the script for %s is for the name that the program was called by', async (shell) => {
  const { code, stdout } = await runVireo(['completion', shell], { VIREO_CALLED_AS: 'virtctl' });
  expect(code).toBe(0);
  expect(stdout).toContain(`# ${shell} completion for virtctl`);
  expect(stdout).not.toContain('vireo');
});
