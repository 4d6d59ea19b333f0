import { bootSectorFarewell } from '@vireo/node';
import { describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { instance, vm } from './manifests.ts';

const { kubectl, vireo, untilStatus, console, clear, create, uidOf, untilReplaced } = useVms();

const conflict = (kind: string, name: string, why: string): string =>
  `Operation cannot be fulfilled on ${kind}.kubevirt.io "${name}": ${why}`;
const eventsOf = (name: string): Promise<string> => kubectl(`events --for vmi/${name}`);
const phaseOf = async (name: string): Promise<string> =>
  (await kubectl.run(`get vmi ${name} -o jsonpath={.status.phase}`)).stdout;

describe('pause', () => {
  it('holds a guest, and unpause lets it go on', async () => {
    await create(
      vm('held'),
      vm('asleep', { runStrategy: 'Halted' }),
      vm('deaf', { guest: 'deaf', graceSeconds: 3600 }),
      vm('brief', { guest: 'deaf', graceSeconds: 1, runStrategy: 'Manual' }),
      vm('forced', { guest: 'deaf', graceSeconds: 3600 }),
    );
    expect(await vireo('start brief')).toBe('VM brief was scheduled to start');
    await untilStatus(['held', 'deaf', 'brief', 'forced'], 'Running');
    expect(await vireo('unpause vm held')).toContain(conflict('virtualmachineinstance', 'held', 'VMI is not paused'));
    expect(await vireo('pause vm held')).toBe('VMI held was scheduled to pause');
    await untilStatus('held', 'Paused');
    // The container runs as before; it is the gate that is closed.
    await kubectl.until(
      'get pods -l vm.kubevirt.io/name=held -o wide',
      /virt-launcher-held-\w+ +1\/1 +Running .* 0\/1$/,
    );
    await kubectl.do('wait vm/held --for=condition=Ready=False --timeout=60s');
    expect(await kubectl('get vmi held -o wide')).toMatch(/held +\S+ +Running .* False +(True|False) +True/);
    expect(await vireo('pause vmi held')).toContain(
      conflict('virtualmachineinstance', 'held', 'VMI is already paused'),
    );
    expect(await vireo('unpause vmi held')).toBe('VMI held was scheduled to unpause');
    await untilStatus('held', 'Running');
    await kubectl.do('wait vm/held --for=condition=Ready --timeout=60s');
  }, 120_000);

  it('holds a guest from its start', async () => {
    expect(await vireo('start asleep --paused')).toBe('VM asleep was scheduled to start');
    await untilStatus('asleep', 'Paused');
    expect(await kubectl('logs -l vm.kubevirt.io/name=asleep --tail=-1')).toBe('');
    expect(await vireo('unpause vm asleep')).toBe('VMI asleep was scheduled to unpause');
    await untilStatus('asleep', 'Running');
    await kubectl.until('logs -l vm.kubevirt.io/name=asleep --tail=-1', /boot sector ready/);
  }, 120_000);

  it('does not keep a VM from being stopped', async () => {
    expect(await vireo('pause vm asleep')).toBe('VMI asleep was scheduled to pause');
    await untilStatus('asleep', 'Paused');
    await kubectl.do('delete vm asleep --timeout=60s');
  }, 120_000);
});

describe('stop', () => {
  it('gives the guest time to go down by itself', async () => {
    const session = await console('held');
    expect(await vireo('stop held')).toBe('VM held was scheduled to stop');
    await session.until(new RegExp(bootSectorFarewell));
    await untilStatus('held', 'Stopped');
    expect(await eventsOf('held')).toMatch(/ShuttingDown .*Signaled Graceful Shutdown/);
    expect(await eventsOf('held')).toMatch(/Normal +Stopped .*The VirtualMachineInstance was shut down\./);
    await session.close();
  }, 120_000);

  it('ends a guest that does not when its time is over', async () => {
    expect(await vireo('stop brief')).toBe('VM brief was scheduled to stop');
    await untilStatus('brief', 'Stopped');
    expect(await eventsOf('brief')).toMatch(/Normal +Deleted .*Signaled Deletion/);
  }, 120_000);

  it('waits as long as it was told to, and can be told to hurry', async () => {
    expect(await vireo('stop deaf')).toBe('VM deaf was scheduled to stop');
    await untilStatus('deaf', 'Stopping');
    expect(await vireo('stop deaf')).toContain(
      conflict('virtualmachine', 'deaf', 'Halted only supports manual stop requests with a shorter graceperiod'),
    );
    expect(await phaseOf('deaf')).toBe('Running');
    expect(await vireo('stop deaf --force')).toContain('Must both use --force=true and set --grace-period.');
    expect(await vireo('stop deaf --force --grace-period=0')).toBe('VM deaf was scheduled to stop');
    await untilStatus('deaf', 'Stopped');
  }, 120_000);

  it('by force ends it at once', async () => {
    expect(await vireo('stop forced --force --grace-period=0')).toBe('VM forced was scheduled to stop');
    await untilStatus('forced', 'Stopped');
  }, 120_000);
});

describe('restart', () => {
  it('by force does not wait for the guest', async () => {
    await kubectl.do('patch vm deaf forced --type=merge -p \'{"spec":{"runStrategy":"Always"}}\'');
    await untilStatus(['deaf', 'forced'], 'Running');
    const before = await uidOf('deaf');
    expect(await vireo('restart deaf --force --grace-period=5')).toContain(
      'For force restart, only gracePeriod=0 is supported for now',
    );
    expect(await vireo('restart deaf --force --grace-period=0')).toBe('VM deaf was scheduled to restart');
    await untilReplaced('deaf', before);
  }, 120_000);
});

describe('delete', () => {
  it('of an instance ends it; its VM makes another', async () => {
    await kubectl.do('patch vm held --type=merge -p \'{"spec":{"runStrategy":"Always"}}\'');
    await untilStatus('held', 'Running');
    const before = await uidOf('held');
    await kubectl.do('delete vmi held --timeout=60s');
    await untilReplaced('held', before);
  }, 120_000);

  it('of a launcher ends the guest in order', async () => {
    const before = await uidOf('held');
    const session = await console('held');
    await kubectl.do('delete pods -l vm.kubevirt.io/name=held --timeout=60s');
    await session.until(new RegExp(bootSectorFarewell));
    await session.close();
    await untilReplaced('held', before);
  }, 120_000);

  it('waits for a finalizer of somebody else', async () => {
    await kubectl.do(
      'patch vm held --type=json -p \'[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/wait"}]\'',
    );
    await kubectl.do('delete vm held --wait=false');
    await kubectl.do('wait vmi/held --for=delete --timeout=60s');
    expect(await kubectl('get vm held')).toMatch(/held +\S+ +Terminating +False/);
    expect(await kubectl('get vm held -o jsonpath={.metadata.finalizers}')).toBe('["example.com/wait"]');
    await kubectl.do('patch vm held --type=merge -p \'{"metadata":{"finalizers":null}}\'');
    await kubectl.do('wait vm/held --for=delete --timeout=60s');
  }, 120_000);

  it('in the foreground waits for instance and launcher', async () => {
    await create(vm('front'), vm('parent'), instance('lone'));
    await untilStatus(['front', 'parent'], 'Running');
    await kubectl.do('delete vm front --cascade=foreground --timeout=60s');
    expect(await kubectl('get vmi front')).toContain('not found');
    expect(await kubectl('get pods -l vm.kubevirt.io/name=front')).toContain('No resources found');
  }, 120_000);

  it('of the VM alone leaves its instance running, with no owner', async () => {
    const uid = await uidOf('parent');
    await kubectl.do('delete vm parent --cascade=orphan --timeout=60s');
    expect(await uidOf('parent')).toBe(uid);
    expect(await phaseOf('parent')).toBe('Running');
    expect(await kubectl('get vmi parent -o jsonpath={.metadata.ownerReferences}')).toBe('');
    // All that the VM owned is now nobody's: the revision that it was started from, too.
    await kubectl.do('delete vmi parent --timeout=60s');
    await kubectl.do('delete controllerrevisions --all');
  }, 120_000);

  it('of an instance without a VM leaves nothing', async () => {
    await kubectl.do('wait vmi/lone --for=jsonpath={.status.phase}=Running --timeout=60s');
    await kubectl.do('delete vmi lone --timeout=60s');
  }, 120_000);

  it('by force of what does not hear', async () => {
    await kubectl.do('delete vm forced --wait=false');
    await untilStatus('forced', 'Terminating');
    await kubectl.do('delete pods -l vm.kubevirt.io/name=forced --grace-period=1 --timeout=60s');
    await kubectl.do('wait vm/forced --for=delete --timeout=60s');
    expect(await vireo('stop deaf --force --grace-period=0')).toBe('VM deaf was scheduled to stop');
  }, 120_000);

  it('leaves nothing behind', clear, 120_000);
});
