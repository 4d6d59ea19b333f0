import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runVireo } from '../e2e/vireo.ts';
import { end, processesWith } from '../e2e/vms/leftovers.ts';
import { startControlPlane } from './controlPlane.ts';

const ROOT = join(import.meta.dirname, '..');
const HEADING = '## From an empty Kubernetes to a console in five commands';

/** The commands below the heading in docs/cluster.md. */
async function commands(): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs/cluster.md'), 'utf8');
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(HEADING))) ?? [];
  return block.split('\n').filter((line) => line.startsWith('vireo '));
}

it('five commands lead from an empty Kubernetes to a console', async () => {
  const lines = await commands();
  expect(lines).toHaveLength(5);
  await using plane = await startControlPlane();
  const home = await mkdtemp(join(tmpdir(), 'vireo-five-'));
  // What the page says of old servers and of hosts without KVM.
  const flags = ['--use-emulation', ...(plane.programs.minor < 30 ? ['--allow-old-server'] : [])].join(' ');
  const script = lines.map((line) => line.replace(/^vireo install/, `vireo install ${flags}`)).join('\n');
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  const shell = spawn('bash', ['-ec', script], {
    cwd: home,
    env: {
      ...Object.fromEntries(outside),
      PATH: `${join(ROOT, 'bin')}:${process.env.PATH}`,
      KUBECONFIG: plane.kubeconfig,
      VIREO_HOME: join(home, 'vireo'),
    },
    detached: true,
    stdio: 'pipe',
  });
  let text = '';
  try {
    const isAtConsole = new Promise<boolean>((resolve) => {
      for (const stream of [shell.stdout, shell.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (/login: /.test(text)) resolve(true);
        });
      shell.once('exit', () => resolve(false));
    });
    expect([await isAtConsole, text]).toEqual([true, expect.stringMatching(/login: /)]);
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
    // The node is in the background, as are its guests.
    await runVireo(['down', '--force', '--home', join(home, 'vireo')]);
    await vi.waitFor(async () => {
      const left = await processesWith(home);
      for (const { pid } of left) end(pid, 'SIGKILL');
      expect(left).toEqual([]);
    });
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}, 600_000);
