import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../docs/blocks.ts';
import { kubectlFor, kubectlOf } from '../kubectl.ts';
import { type Ended, runVireo } from '../vireo.ts';
import { followVmis } from './fixture.ts';
import { processesWith } from './leftovers.ts';
import { useRecipe } from './recipe.ts';

/** The recipe of docs/ci.md starts the server and the VM; these tests are its job. */
const recipe = useRecipe('first');
const { home } = recipe;
const kubectl = kubectlOf(() => kubectlFor(join(home(), 'kubeconfig'), join(home(), 'kubectl-cache')));
const { uidOf, untilReplaced } = followVmis(kubectl);
const bin = fileURLToPath(new URL('../../bin', import.meta.url));

let directory: string;
let key: string;
beforeAll(() => {
  directory = recipe.user();
  key = join(directory, '.ssh/id_ed25519');
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

/** The same, by a user whose ~/.ssh has the key. */
const asUser = (...args: string[]): Promise<Ended> => runVireo(args, { HOME: directory, VIREO_HOME: home() });

const unattended = () => [
  ...['-i', key, '--known-hosts', join(directory, 'known_hosts')],
  ...['-t', '-o StrictHostKeyChecking=no', '-t', '-o LogLevel=ERROR', '-t', '-o BatchMode=yes'],
];

it('docs/ci.md shows the recipe that runs here', async () => {
  const script = await readFile(fileURLToPath(new URL('../../examples/ci.sh', import.meta.url)), 'utf8');
  expect(blocksOf('docs/ci.md').map(({ text }) => text)).toContain(script);
});

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
  await kubectl.do('delete dv disk small --ignore-not-found');
}, 120_000);

describe('a VM by one line', () => {
  it('is launched, and says how it came up', () => {
    const output = recipe.output();
    expect(output).toMatch(/^Vireo is ready after /m);
    expect(output).toMatch(
      /^Created VM default\/first from vireo\/guest\.\nIts disk is claim first-root \(\S+\), which keeps its data across restarts\.\n/m,
    );
    expect(output).toMatch(
      /\n {2}Running after .*\n(?:.*\n)* {2}The guest booted after .*\n(?:Its address is \S+\.\n)?Log in as vireo with/,
    );
    expect(output).toMatch(/^VM default\/first has a connected guest agent\nLinux\nThe job has begun\.$/m);
  });

  it('is waited for', async () => {
    const ssh = await vireo('wait', 'first', '--for=ssh');
    expect(ssh).toMatchObject({ code: 0, output: 'VM default/first accepts ssh connections\n' });
    const { output: address } = await vireo('wait', 'first', '--for=address');
    expect(address).toMatch(/^VM default\/first has an address: \d+\.\d+\.\d+\.\d+\n$/);
  }, 60_000);

  it('is logged in to by key, and the exit code is the guest’s', async () => {
    const ended = await vireo('ssh', 'vireo@vm/first', ...unattended(), '-c', 'id -un; exit 7');
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

  it('keeps its files and its ssh host keys over a restart', async () => {
    const uid = await uidOf('first');
    expect(await vireo('restart', 'first')).toMatchObject({ code: 0 });
    await untilReplaced('first', uid);
    const strict = unattended().map((word) => word.replace('HostKeyChecking=no', 'HostKeyChecking=yes'));
    const look = ['ssh', 'vireo@vm/first', ...strict, '-t', '-o ConnectionAttempts=60', '-c', 'cat there'];
    let ended: Ended;
    do ended = await vireo(...look);
    while (ended.code === 255 && /closed|refused|reset|timed out|not running|not found/i.test(ended.output));
    expect(ended).toMatchObject({ code: 0, output: 'carried\n' });
  }, 180_000);

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
      const isConnected = shown.includes('exit console.');
      shown += chunk;
      if (!isConnected && shown.includes('exit console.')) terminal.stdin.write('\x1d');
    });
    const code = await new Promise((resolve) => terminal.once('close', resolve));
    expect(shown).toContain('Successfully connected to first console. Press Ctrl+] or Ctrl+5 to exit console.');
    expect(code).toBe(0);
  }, 60_000);

  it('is listed, and tells how it is', async () => {
    await kubectl.do('wait vmi/first --for=condition=AgentConnected --timeout=120s');
    expect((await vireo('list')).output).toMatch(/^NAME +STATE .*\nfirst +Running +\S/);
    const { output } = await asUser('info', 'first');
    expect(output).toMatch(/^Name: +first\n(.*\n)*State: +Running for \S+\n(.*\n)*Guest agent: +connected\n/);
    expect(output).toMatch(/\nUser: +vireo\nConnect: +vireo shell first -n default\n/);
  }, 150_000);

  it('runs commands by its agent; input, output and exit code are the command’s', async () => {
    const script = 'cat; echo "$A" >&2; exit 5';
    const ended = await run('sh', ['-c', `echo in | "$0" exec first -e A=err -- sh -c '${script}'`, `${bin}/vireo`], {
      env: { ...process.env, VIREO_HOME: home() },
    });
    expect(ended).toMatchObject({ code: 5, output: expect.stringMatching(/^(in\nerr|err\nin)\n$/) });
    expect(await vireo('exec', 'first', '--', 'no-such-program')).toMatchObject({
      code: 127,
      output: expect.stringMatching(
        /^error: the guest agent of default\/first refused the command: .*No such file or directory/,
      ),
    });
    expect(await vireo('exec', 'first', '--timeout', '1', '--', 'sleep', '30')).toMatchObject({
      code: 124,
      output: expect.stringMatching(/^error: the command is still running in first .*\nIt keeps running as PID \d+\./),
    });
  }, 120_000);

  it('is logged in to by its name alone, with the key that it was launched with', async () => {
    expect(await asUser('ssh', 'first', '-c', 'id -un')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^vireo$/m),
    });
    const ended = await asUser('exec', 'first', '--via', 'ssh', '--', 'sh', '-c', 'echo "a  b"; exit 3');
    expect(ended).toMatchObject({ code: 3, output: 'a  b\n' });
    const shell = await run('sh', ['-c', `echo 'id -un; exit 4' | "$0" shell first`, `${bin}/vireo`], {
      env: { ...process.env, HOME: directory, VIREO_HOME: home() },
    });
    expect(shell).toMatchObject({ code: 4, output: expect.stringMatching(/^vireo\r?$/m) });
  }, 120_000);

  it.each([
    { way: 'ssh', to: 'first:sent', from: 'first:sent' },
    { way: 'agent', to: 'first:/root/', from: 'first:/root/bytes' },
  ])(
    'takes bytes by $way and gives them back',
    async ({ way, to, from }) => {
      const [file, back] = [join(directory, 'bytes'), join(directory, `${way}-back`)];
      const bytes = randomBytes(100_000);
      await writeFile(file, bytes);
      expect(await asUser('copy', '--via', way, file, to)).toMatchObject({ code: 0, output: '' });
      expect(await asUser('copy', '--via', way, from, back)).toMatchObject({ code: 0, output: '' });
      expect(bytes.equals(await readFile(back))).toBe(true);
    },
    120_000,
  );

  it('is deleted, and gone when the command ends', async () => {
    const { code, output } = await vireo('delete', 'first', '--force');
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/^VM first deleted\n {2}claim first-root \(\S+\) was deleted with it\n$/),
    });
    expect((await vireo('list')).output).toBe('No VMs found in namespace default. To launch one: vireo launch\n');
  }, 120_000);
});

it('a job that fails ends the recipe with its code, a log and a support bundle, and nothing runs any more', async () => {
  const ended = await recipe.finish(3);
  expect(ended).toMatchObject({ code: 3, output: expect.stringMatching(/Stopped .*libvirtd in /) });
  const artifacts = join(directory, 'artifacts');
  expect((await readdir(artifacts)).sort()).toEqual(['support.zip', 'vireo.log']);
  expect((await stat(join(artifacts, 'support.zip'))).size).toBeGreaterThan(5_000);
  expect(await processesWith(home())).toEqual([]);
}, 120_000);
