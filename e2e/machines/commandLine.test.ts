import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, runVireo } from '../vireo.ts';
import { useMachines } from './fixture.ts';

const { home, clear, kubectl } = useMachines();
const bin = fileURLToPath(new URL('../../bin', import.meta.url));

let directory: string;
let key: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-cli-'));
  key = join(directory, 'key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
});
afterAll(async () => {
  await clear();
  await rm(directory, { recursive: true, force: true });
});

/** Runs any program to its end. */
function run(program: string, args: readonly string[], options: SpawnOptionsWithoutStdio = {}): Promise<Ended> {
  const child = spawn(program, args, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, output }));
  });
}

/** Only the home is named: that is enough to find the server. */
const vireo = (...args: string[]): Promise<Ended> => runVireo(args, { VIREO_HOME: home() });

const unattended = () => [
  ...['-i', key, '--known-hosts', join(directory, 'known_hosts')],
  ...['-t', '-o StrictHostKeyChecking=no', '-t', '-o LogLevel=ERROR', '-t', '-o BatchMode=yes'],
];

it('an image is uploaded to a DataVolume; one that does not fit is refused with the reason', async () => {
  const file = join(directory, 'disk.img');
  await writeFile(file, Buffer.alloc(3 * 1024 * 1024, 'disk'));
  const taken = await vireo('image-upload', 'dv', 'disk', '--size=4Mi', `--image-path=${file}`);
  expect(taken.output).toMatch(/Processing completed successfully\nUploading .* completed successfully\n$/);
  expect(taken.code).toBe(0);
  expect(await kubectl('get dv disk')).toMatch(/disk +Succeeded/);
  const refused = await vireo('image-upload', 'dv', 'small', '--size=1Mi', `--image-path=${file}`);
  expect(refused.output).toMatch(/\nerror: unexpected return value 400, the image does not fit: .*\n$/);
  expect(refused.code).toBe(1);
  await kubectl.do('delete dv --all');
}, 120_000);

describe('a machine by one line', () => {
  it('is launched, and says how it came up', async () => {
    const { code, output } = await vireo('launch', 'first', '--memory', '256Mi', '--ssh-key', `${key}.pub`);
    expect(output).toMatch(/^Created virtual machine default\/first from vireo\/guest\.\n/);
    expect(output).toMatch(/\n {2}Running after .*\nLog in as vireo with password vireo:\n {2}vireo console first /);
    expect(code).toBe(0);
  }, 180_000);

  it('is logged in to by key, and the exit code is the guest’s', async () => {
    const login = ['ssh', 'vireo@vm/first', ...unattended(), '-t', '-o ConnectionAttempts=60', '-c', 'id -un; exit 7'];
    // The guest's ssh is up a moment after the machine: what comes before is refused.
    let ended: Ended;
    do ended = await vireo(...login);
    while (ended.code === 255 && /closed|refused|reset|timed out/i.test(ended.output));
    expect(ended).toMatchObject({ code: 7, output: 'vireo\n' });
  }, 120_000);

  it('takes files and gives them', async () => {
    const file = join(directory, 'to the guest: 1');
    await writeFile(file, 'carried\n');
    expect(await vireo('scp', file, 'vireo@vm/first:there', ...unattended())).toMatchObject({ code: 0, output: '' });
    const back = join(directory, 'back');
    expect(await vireo('scp', 'vireo@vm/first/default:there', back, ...unattended())).toMatchObject({ code: 0 });
    expect(await readFile(back, 'utf8')).toBe('carried\n');
  }, 120_000);

  it('is reached as a plug-in of kubectl, too', async () => {
    const env = {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      KUBECONFIG: join(home(), 'kubeconfig'),
    };
    const asked = await run('kubectl', ['virt', 'guestosinfo', 'first'], { env });
    expect(JSON.parse(asked.output)).toMatchObject({ kind: 'VirtualMachineInstanceGuestAgentInfo' });
    const offered = await run('kubectl', ['__complete', 'virt', 'console', 'f'], { env });
    expect(offered.output).toMatch(/^first\tRunning$/m);
    const helped = await run('kubectl', ['virt', 'stop', '--help'], { env });
    expect(helped.output).toContain('Usage: kubectl virt stop');
  }, 60_000);

  it('has a console in a real terminal, which is left with Ctrl-]', async () => {
    const terminal = spawn('script', ['-qec', `${bin}/vireo console first`, '/dev/null'], {
      env: { ...process.env, VIREO_HOME: home() },
    });
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      if (shown.includes('exit console.')) terminal.stdin.write('\x1d');
    });
    const code = await new Promise((resolve) => terminal.once('close', resolve));
    expect(shown).toContain('Successfully connected to first console. Press Ctrl+] or Ctrl+5 to exit console.');
    expect(code).toBe(0);
  }, 60_000);
});
