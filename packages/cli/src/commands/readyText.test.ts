import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { goOnText, type Ready, readyText, shellWord } from './readyText.ts';

const api: Ready = {
  port: 6443,
  kubeconfig: '/h/kubeconfig',
  home: '/h',
  duration: '1.2 s',
  command: 'vireo',
  guests: 0,
};
const withMachines: Ready = { ...api, machines: { manifest: '/v/first vm.yaml', isGuestImageBuilt: true } };
const linesOf = (ready: Ready): string[] => readyText(ready).split('\n');

it('shows lines to paste', () => {
  expect(linesOf(withMachines)).toEqual([
    '',
    'Vireo is ready after 1.2 s. The Kubernetes API is at https://127.0.0.1:6443',
    '',
    '  export KUBECONFIG=/h/kubeconfig',
    "  kubectl apply -f '/v/first vm.yaml'",
    '  vireo console first-vm',
    '',
    'Ctrl-C stops the server and leaves machines running. Stop everything with: vireo down --home /h',
  ]);
});

it('promises no machines where there are none', () => {
  expect(linesOf(api)).toContain('  kubectl get namespaces');
  expect(readyText(api)).toContain('without machines');
  expect(readyText(api)).not.toContain('first-vm');
});

it('says which plug-ins of hypervisors are not used, and why', () => {
  const machines = { manifest: '/m', isGuestImageBuilt: true, unusedPlugins: ['turbo: registers no hypervisor'] };
  expect(linesOf({ ...api, machines })).toContain('A hypervisor plug-in is not used: turbo: registers no hypervisor');
});

it('says what makes machines slow, the first time or always', () => {
  const machines = { manifest: '/m', isGuestImageBuilt: false, emulatedBecause: 'no /dev/kvm' };
  const text = readyText({ ...api, command: '/v/bin/vireo', machines });
  expect(text).toContain('guests are emulated, which is slow: no /dev/kvm\n');
  expect(text).toContain('/v/bin/vireo image build\n');
});

it('says what becomes of guests that ran before it', () => {
  expect(linesOf({ ...withMachines, guests: 2 })).toContain('It looks after 2 machines of an earlier start again.');
  expect(readyText({ ...api, guests: 1 })).toContain('Nobody looks after 1 machine of an earlier start');
});

it('says at the end what goes on', () => {
  expect(goOnText(2, '/h', 'vireo')).toBe(
    '2 machines keep running; the next start looks after them again. Stop them with: vireo down --home /h',
  );
  expect(goOnText(1, '/h', 'vireo')).toMatch(/^1 machine keeps running; .* Stop it with/);
});

it.each(['/plain/path', '/with space', "/it's", '/$HOME/`id`', '/semi;colon', '~'])('%s survives the shell', (path) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' })).toBe(path);
});
