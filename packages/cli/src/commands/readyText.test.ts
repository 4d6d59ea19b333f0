import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { leftRunningText, type Ready, readyText, shellWord } from './readyText.ts';

const api: Ready = {
  port: 6443,
  kubeconfig: '/h/kubeconfig',
  home: '/h',
  duration: '1.2 s',
  command: 'vireo',
  guests: 0,
};
const withVirtualization: Ready = { ...api, vms: { manifest: '/v/first vm.yaml', isGuestImageBuilt: true } };
const linesOf = (ready: Ready): string[] => readyText(ready).split('\n');

it('shows lines to paste', () => {
  expect(linesOf(withVirtualization)).toEqual([
    '',
    'Vireo is ready after 1.2 s. The Kubernetes API is at https://127.0.0.1:6443',
    '',
    '  export KUBECONFIG=/h/kubeconfig',
    "  kubectl apply -f '/v/first vm.yaml'",
    '  vireo console first-vm',
    '',
    'VMs in a browser: vireo dashboard, or log in at https://127.0.0.1:6443/dashboard/',
    'Ctrl-C stops the server and leaves VMs running. To stop everything: vireo down --home /h',
  ]);
});

it('of a server in the background it says how to follow and stop it', () => {
  const lines = linesOf({ ...withVirtualization, isDetached: true });
  expect(lines.slice(-2)).toEqual([
    'It runs in the background. To follow its log: vireo logs -f --home /h',
    'To stop everything: vireo down --home /h',
  ]);
  expect(linesOf({ ...api, isDetached: true }).at(-1)).toBe(
    'It serves only the API, without VMs. To stop it: vireo down --home /h',
  );
});

it('promises no VMs where there are none', () => {
  expect(linesOf(api)).toContain('  kubectl get namespaces');
  expect(readyText(api)).toContain('without VMs');
  expect(readyText(api)).not.toMatch(/first-vm|dashboard/);
});

it('says which plug-ins of hypervisors are not used, and why', () => {
  const vms = { manifest: '/m', isGuestImageBuilt: true, unusedPlugins: ['turbo: does not register a hypervisor'] };
  expect(linesOf({ ...api, vms })).toContain('A hypervisor plug-in is not used: turbo: does not register a hypervisor');
});

it('says what makes VMs slow, the first time or always', () => {
  const vms = { manifest: '/m', isGuestImageBuilt: false, emulatedBecause: 'no /dev/kvm' };
  const text = readyText({ ...api, command: '/v/bin/vireo', vms });
  expect(text).toContain('guests are emulated, which is slow: no /dev/kvm\n');
  expect(text).toContain('/v/bin/vireo image build\n');
});

it('says why guests have no addresses of their own', () => {
  const vms = { manifest: '/m', isGuestImageBuilt: true, userNetworkBecause: 'nft is missing' };
  expect(linesOf({ ...api, vms })).toContain(
    'Guests have no addresses of their own, so they do not reach each other and Services do not reach them: nft is missing',
  );
});

it('says what becomes of guests that ran before it', () => {
  expect(linesOf({ ...withVirtualization, guests: 2 })).toContain(
    'Resumed 2 VMs that kept running from an earlier start.',
  );
  expect(readyText({ ...api, guests: 1 })).toContain(
    '1 VM from an earlier start is still running, but this server does not manage VMs.',
  );
});

it('says at the end what goes on', () => {
  expect(leftRunningText(2, '/h', 'vireo')).toBe(
    '2 VMs keep running, and the next start picks them up again. To stop them: vireo down --home /h',
  );
  expect(leftRunningText(1, '/h', 'vireo')).toMatch(/^1 VM keeps running, .* To stop it: /);
});

it.each(['/plain/path', '/with space', "/it's", '/$HOME/`id`', '/semi;colon', '~'])('%s survives the shell', (path) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' })).toBe(path);
});
