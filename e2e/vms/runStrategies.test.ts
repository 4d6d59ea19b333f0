import { describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const { kubectl, vireo, untilStatus, clear, create, uidOf, untilReplaced } = useVms();

const conflict = (name: string, why: string): string =>
  `Operation cannot be fulfilled on virtualmachine.kubevirt.io "${name}": ${why}`;
const strategyOf = (name: string): Promise<string> =>
  kubectl(`get vm ${name} -o 'jsonpath={.spec.runStrategy}{.spec.running}'`);
const patch = (name: string, spec: object): Promise<void> =>
  kubectl.do(`patch vm ${name} --type=merge -p '${JSON.stringify({ spec })}'`);

describe('every run strategy', () => {
  it('starts what it should, and nothing else', async () => {
    await create(
      vm('always'),
      vm('rerun', { runStrategy: 'RerunOnFailure' }),
      vm('once', { runStrategy: 'Once' }),
      vm('manual', { runStrategy: 'Manual' }),
      vm('halted', { runStrategy: 'Halted' }),
      vm('on', { running: true }),
      vm('off', { running: false }),
    );
    await untilStatus(['always', 'rerun', 'once', 'on'], 'Running');
    await untilStatus(['manual', 'halted', 'off'], 'Stopped');
    expect(await kubectl('get vmi -o name')).toBe(
      ['always', 'on', 'once', 'rerun'].map((name) => `virtualmachineinstance.kubevirt.io/${name}`).join('\n'),
    );
  }, 120_000);

  it('refuses starts that it has no use for', async () => {
    for (const name of ['always', 'rerun', 'once', 'on'])
      expect(await vireo(`start ${name}`)).toContain(conflict(name, 'VM is already running'));
  });

  it('refuses stops and restarts of what does not run', async () => {
    expect(await vireo('stop manual')).toContain(conflict('manual', 'VM is not running'));
    expect(await vireo('stop halted')).toContain(conflict('halted', 'VM is not running'));
    expect(await vireo('restart manual')).toContain(conflict('manual', 'VM is not running: Halted'));
    expect(await vireo('restart halted')).toContain(
      conflict('halted', 'RunStategy Halted does not support manual restart requests'),
    );
    expect(await vireo('restart once')).toContain(
      conflict('once', 'RunStategy Once does not support manual restart requests'),
    );
    expect(await vireo('start nobody')).toContain('virtualmachine.kubevirt.io "nobody" not found');
  });

  it('starts on request', async () => {
    expect(await vireo('start manual')).toBe('VM manual was scheduled to start');
    expect(await vireo('start halted')).toBe('VM halted was scheduled to start');
    expect(await vireo('start off')).toBe('VM off was scheduled to start');
    await untilStatus(['manual', 'halted', 'off'], 'Running');
    expect(await strategyOf('manual')).toBe('Manual');
    expect(await strategyOf('halted')).toBe('Always');
    expect(await strategyOf('off')).toBe('true');
  });

  it('restarts on request, with a new instance', async () => {
    const names = ['always', 'rerun', 'manual', 'on'];
    const before = await Promise.all(names.map(uidOf));
    for (const name of names) expect(await vireo(`restart ${name}`)).toBe(`VM ${name} was scheduled to restart`);
    for (const [index, name] of names.entries()) await untilReplaced(name, before[index] ?? '');
    await untilStatus(names, 'Running');
  }, 120_000);

  it('stops on request, and keeps its word', async () => {
    const names = ['always', 'rerun', 'once', 'manual', 'on'];
    for (const name of names) expect(await vireo(`stop ${name}`)).toBe(`VM ${name} was scheduled to stop`);
    await untilStatus(names, 'Stopped');
    expect(await strategyOf('always')).toBe('Halted');
    expect(await strategyOf('once')).toBe('Halted');
    expect(await strategyOf('on')).toBe('false');
    expect(await strategyOf('rerun')).toBe('RerunOnFailure');
    expect(await strategyOf('manual')).toBe('Manual');
  }, 120_000);

  it('changes by kubectl', async () => {
    await patch('always', { runStrategy: 'Always' });
    await patch('on', { running: true });
    await patch('once', { runStrategy: 'Once' });
    await patch('manual', { runStrategy: 'Always' });
    expect(await vireo('start rerun')).toBe('VM rerun was scheduled to start');
    await untilStatus(['always', 'on', 'once', 'manual', 'rerun'], 'Running');
    await patch('manual', { runStrategy: 'Manual' });
    await patch('always', { runStrategy: 'Halted' });
    await patch('on', { running: false });
    await untilStatus(['always', 'on'], 'Stopped');
    await untilStatus('manual', 'Running');
    expect(await kubectl(`patch vm on --type=merge -p '{"spec":{"runStrategy":"Always"}}'`)).toMatch(
      /mutually exclusive|exclusive/i,
    );
    expect(await kubectl(`patch vm always --type=merge -p '{"spec":{"runStrategy":"Sometimes"}}'`)).toContain(
      'spec.runStrategy',
    );
  }, 120_000);

  it('leaves nothing when all go', clear, 120_000);
});
