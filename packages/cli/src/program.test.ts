import { describe, expect, it } from 'vitest';
import { buildProgram } from './program.ts';
import { allCommands, fullName, helpOf } from './testing/help.ts';
import { runVireo } from './testing/vireoProcess.ts';

const commands = allCommands(buildProgram());

describe('help', () => {
  it('lists every command with what it does', async () => {
    const { code, stdout } = await runVireo(['--help']);
    expect(code).toBe(0);
    for (const command of buildProgram().commands)
      expect(stdout).toMatch(new RegExp(`^  ${command.name()}[ |].*\\w`, 'm'));
    expect(stdout).toContain('Examples:');
  });

  it.each(commands.map((command) => [fullName(command), command] as const))(
    'of %s says what it does and what its options are for, with an example',
    (_, command) => {
      expect(command.description()).not.toBe('');
      expect(command.summary()).not.toBe('');
      for (const option of command.options) expect(option.description, option.flags).not.toBe('');
      expect(helpOf(command)).toMatch(/Examples:\n {2}.*vireo/);
    },
  );

  it('speaks of the program by the name that it was called by', async () => {
    const { stdout } = await runVireo(['help', 'start'], { VIREO_CALLED_AS: 'kubectl-virt' });
    expect(stdout).toContain('Usage: kubectl virt start');
    expect(stdout).toContain('  kubectl virt start web --paused');
    expect(stdout).toContain('Use "kubectl virt options" for a list of global command-line options');
  });

  it('lists the options that all commands have', async () => {
    const { stdout } = await runVireo(['options']);
    for (const flag of [
      '--kubeconfig',
      '-n, --namespace',
      '--as-group',
      '-s, --server',
      '--request-timeout',
      '-v, --v',
    ])
      expect(stdout).toContain(flag);
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
    { args: ['up', '--listen', '10.0.0.1'], says: ["'--listen <where>'", 'all, local'] },
    { args: ['up', '--refuse-imports', 'lo'], says: ["'--refuse-imports <networks>'", '"lo" is neither loopback'] },
    { args: ['status', '--home', ''], says: ["'--home <directory>'", 'Expected a directory'] },
    { args: ['status', '-o', 'xml'], says: ["'xml'", 'text, json'] },
    { args: ['completion', 'tcsh'], says: ["'tcsh'", 'bash, zsh, fish'] },
    { args: ['down', 'now'], says: ['too many arguments'] },
    { args: ['up', '-n', 'web'], says: ["unknown option '-n'"] },
    { args: ['--context', 'x', 'status'], says: ["unknown option '--context'"] },
    { args: ['--kubeconfig', 'x', 'controllers'], says: ["unknown option '--kubeconfig'"] },
    { args: ['status', '--kubeconfig', '/nowhere/config'], says: ['/nowhere/config'] },
    {
      args: ['controllers', '--leader-elect-renew-deadline', '15s'],
      says: ['--leader-elect-renew-deadline must be shorter'],
    },
    { args: ['controllers', '--metrics-bind-address', 'x'], says: ['Expected an IP address and a port'] },
    { args: ['start'], says: ["missing required argument 'vm'"] },
    { args: ['pause', 'pod', 'web'], says: ["'pod'", 'vm, vmi'] },
    { args: ['console', 'web', '--timeout', 'soon'], says: ["'soon'", 'minutes'] },
    { args: ['stop', 'web', '--grace-period', 'long'], says: ["'long'", 'seconds'] },
    { args: ['port-forward', 'web', '80'], says: ["'web'", "separated by '/'"] },
    { args: ['port-forward', 'vm/web', 'sctp/53'], says: ["'sctp/53'", 'Only tcp and udp'] },
    { args: ['port-forward', 'vm/web', '0:0'], says: ["'0:0'", '1 to 65535'] },
    { args: ['vnc', 'screenshot', 'web'], says: ["'-f, --file <file>'"] },
    { args: ['start', 'web', '--kubeconfig', '/nowhere/config'], says: ['/nowhere/config', 'vireo up'] },
    { args: ['stop', 'web', '--force'], says: ['Must both use --force=true and set --grace-period.'] },
    { args: ['restart', 'web', '--grace-period', '0'], says: ['Must both use --force=true and set --grace-period.'] },
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
  const { stdout } = await runVireo(['version', '-c', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({ vireo: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node });
});
