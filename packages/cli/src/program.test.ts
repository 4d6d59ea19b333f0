import { describe, expect, it } from 'vitest';
import { buildProgram } from './program.ts';
import { runVireo } from './testing/vireoProcess.ts';

const commands = ['up', 'down', 'status', 'kubeconfig', 'version', 'completion'];

describe('help', () => {
  it('lists every command with what it does', async () => {
    const { code, stdout } = await runVireo(['--help']);
    expect(code).toBe(0);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^  ${command} .*\\w`, 'm'));
    expect(stdout).toContain('Examples:');
  });

  it.each(buildProgram().commands.map((command) => [command.name(), command] as const))(
    'of %s says what it does, and every option what it is for',
    (name, command) => {
      expect(commands).toContain(name);
      expect(command.description()).not.toBe('');
      expect(command.summary()).not.toBe('');
      for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    },
  );

  it.each(commands)('of %s shows an example', async (name) => {
    const { code, stdout } = await runVireo(['help', name]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}.*vireo/);
  });

  it('names the environment variables and defaults of up', async () => {
    const { stdout } = await runVireo(['up', '--help']);
    for (const text of ['VIREO_HOME', 'VIREO_PORT', '6443']) expect(stdout).toContain(text);
  });
});

describe('bad input', () => {
  it.each([
    { args: ['upp'], says: ["unknown command 'upp'", 'Did you mean up?'] },
    { args: ['up', '--prot', '1'], says: ["unknown option '--prot'", 'Did you mean --port?'] },
    { args: ['up', '--port', 'http'], says: ["'--port <number>'", "'http'", '0 to 65535'] },
    { args: ['up', '--port', '65536'], says: ["'65536'"] },
    { args: ['status', '--home', ''], says: ["'--home <directory>'", 'must name a directory'] },
    { args: ['status', '-o', 'xml'], says: ["'xml'", 'text, json'] },
    { args: ['completion', 'tcsh'], says: ["'tcsh'", 'bash, zsh, fish'] },
    { args: ['down', 'now'], says: ['too many arguments'] },
  ])('$args is refused with the reason and no stack', async ({ args, says }) => {
    const { code, stdout, stderr } = await runVireo(args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    for (const text of says) expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('names the environment variable that holds a bad value', async () => {
    const { code, stderr } = await runVireo(['up'], { VIREO_PORT: '-1' });
    expect(code).toBe(1);
    expect(stderr).toContain('VIREO_PORT');
  });
});

it('prints versions for programs', async () => {
  const { stdout } = await runVireo(['version', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({ vireo: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node });
});
