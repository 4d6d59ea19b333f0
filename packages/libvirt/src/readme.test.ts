import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventually } from './testing/eventually.ts';
import { simulatedXml } from './testing/guest.ts';
import { TestLibvirtd } from './testing/libvirtd.ts';

it('the example in the README works as printed', async () => {
  await using daemon = await TestLibvirtd.start();
  const root = new URL('..', import.meta.url);
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const program = spawn(process.execPath, ['--input-type=module-typescript', '--eval', example], {
    cwd: root,
    env: { ...process.env, LIBVIRT_SOCKET: daemon.socket, LIBVIRT_URI: 'test:///default' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  program.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const exited = once(program, 'exit');
  try {
    await eventually('it looked for a domain', () => output.includes('Domain not found') || program.exitCode !== null);
    expect(output).toContain('test is running (unknown)\n');
    const libvirt = await daemon.connect({ uri: 'test:///default' });
    await libvirt.createDomain(simulatedXml('newcomer'));
    await libvirt.close();
    await eventually('it printed the newcomer', () => output.includes('newcomer: started (booted)\n'));
    program.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(output).toContain('the connection was closed');
  } finally {
    program.kill('SIGKILL');
  }
});
