import { bootSectorFarewell, bootSectorMarker } from '@vireo/node';
import { describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const { kubectl, vireo, untilStatus, console, type, clear, create, uidOf, untilReplaced } = useVms();

const STRATEGIES = { always: 'Always', rerun: 'RerunOnFailure', manual: 'Manual', once: 'Once' };
const NAMES = Object.keys(STRATEGIES);
const phaseOf = (name: string): Promise<string> => kubectl(`get vmi ${name} -o jsonpath={.status.phase}`);
const untilPhase = (name: string, phase: string): Promise<void> =>
  kubectl.do(`wait vmi/${name} --for=jsonpath={.status.phase}=${phase} --timeout=60s`);

describe('a guest that', () => {
  it('reboots goes on in the same instance, whatever the run strategy', async () => {
    await create(...Object.entries(STRATEGIES).map(([name, runStrategy]) => vm(name, { runStrategy })));
    expect(await vireo('start manual')).toBe('VM manual was scheduled to start');
    await untilStatus(NAMES, 'Running');
    const before = await Promise.all(NAMES.map(uidOf));
    await Promise.all(
      NAMES.map(async (name) => {
        const session = await console(name);
        session.type('r');
        await session.until(new RegExp(bootSectorMarker));
        await session.close();
      }),
    );
    expect(await Promise.all(NAMES.map(uidOf))).toEqual(before);
    expect(await Promise.all(NAMES.map(phaseOf))).toEqual(NAMES.map(() => 'Running'));
  }, 120_000);

  it('powers off has succeeded; only Always starts it again', async () => {
    const always = await uidOf('always');
    await Promise.all(NAMES.map((name) => type(name, 'p')));
    await untilReplaced('always', always);
    await untilStatus(['rerun', 'manual', 'once'], 'Stopped');
    expect(await phaseOf('manual')).toBe('Succeeded');
    expect(await phaseOf('once')).toBe('Succeeded');
    await kubectl.do('wait vmi/rerun --for=delete --timeout=60s');
    const events = await kubectl(
      'get events --field-selector involvedObject.name=manual -o jsonpath={.items[*].message}',
    );
    expect(events).toContain('The VirtualMachineInstance was shut down.');
    expect(await kubectl('logs -l vm.kubevirt.io/name=once --tail=-1')).toContain(bootSectorFarewell);
  }, 120_000);

  it('has powered off is started on request', async () => {
    expect(await vireo('start manual')).toBe('VM manual was scheduled to start');
    expect(await vireo('start rerun')).toBe('VM rerun was scheduled to start');
    await untilStatus(['manual', 'rerun'], 'Running');
    // One that ends for the second time would wait before it is started again.
    await kubectl.do('delete vm once always');
    await create(vm('once', { runStrategy: 'Once' }), vm('always'));
    await untilStatus(['once', 'always'], 'Running');
  }, 120_000);

  it('crashes has failed; Always and RerunOnFailure start it again', async () => {
    const before = { always: await uidOf('always'), rerun: await uidOf('rerun') };
    await Promise.all(NAMES.map((name) => type(name, 'c')));
    await untilReplaced('always', before.always);
    await untilReplaced('rerun', before.rerun);
    await Promise.all([untilPhase('manual', 'Failed'), untilPhase('once', 'Failed')]);
    await untilStatus(['manual', 'once'], 'Stopped');
    const events = await kubectl(
      'get events --field-selector involvedObject.name=manual -o jsonpath={.items[*].message}',
    );
    expect(events).toContain('The VirtualMachineInstance crashed.');
    expect(await kubectl('get pods -l vm.kubevirt.io/name=once')).toMatch(/virt-launcher-once-\w+ +0\/1 +Error +0/);
  }, 120_000);

  it('is gone with all that it left', clear, 120_000);
});
