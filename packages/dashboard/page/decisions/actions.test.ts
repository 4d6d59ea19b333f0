import { expect, it } from 'vitest';
import {
  type Action,
  buttonText,
  concerned,
  type May,
  obstacle,
  offerFor,
  permissionFor,
  requestFor,
} from './actions.ts';
import { instanceAlone, type Machine, machineOf, vmiRow, vmRow } from './machine.ts';
import { moveOf } from './migration.ts';

const MOVING = {
  metadata: { name: 'web' },
  spec: {},
  status: { migrationState: { startTimestamp: 'now', targetNode: 'node-2' } },
};
const instance = vmiRow({ metadata: { name: 'web', namespace: 'shop' }, spec: {}, status: { phase: 'Running' } });
const machine = (word: string, more: object = {}): Machine =>
  machineOf(
    vmRow({ metadata: { name: 'web', namespace: 'shop', ...more }, spec: {}, status: { printableStatus: word } }),
    word === 'Stopped' ? undefined : instance,
  );

it.each<[Action, string, string | undefined]>([
  ['start', 'Stopped', undefined],
  ['start', 'Running', 'It is running already.'],
  ['stop', 'Running', undefined],
  ['stop', 'CrashLoopBackOff', undefined],
  ['stop', 'Stopped', 'It is stopped already.'],
  ['stop', 'Stopping', 'It is stopping already.'],
  ['forceOff', 'Running', undefined],
  ['forceOff', 'Stopping', undefined],
  ['forceOff', 'Stopped', 'It is stopped already.'],
  ['restart', 'Running', undefined],
  ['restart', 'Stopped', 'It is not running.'],
  ['pause', 'Running', undefined],
  ['pause', 'Paused', 'It is paused already.'],
  ['unpause', 'Paused', undefined],
  ['unpause', 'Running', 'It is not paused.'],
  ['delete', 'Stopped', undefined],
])('%s of a machine that is %s: %s', (action, word, reason) => {
  expect(obstacle(action, machine(word))).toBe(reason);
  const deleted = machine(word, { deletionTimestamp: 'now' });
  expect(obstacle(action, deleted)).toBe(action === 'forceOff' ? reason : 'It is being deleted.');
});

it.each<[Action, string, string | undefined]>([
  ['start', 'Running', 'It is running already.'],
  ['start', 'Stopped', undefined],
  ['restart', 'Running', undefined],
  ['restart', 'CrashLoopBackOff', undefined],
  ['restart', 'Stopped', 'It is not running.'],
  ['forceOff', 'Stopping', undefined],
])('without the list of instances, %s of a machine that is %s: %s', (action, printableStatus, reason) => {
  const row = vmRow({ metadata: { name: 'web', namespace: 'shop' }, spec: {}, status: { printableStatus } });
  expect(obstacle(action, machineOf(row, undefined, false))).toBe(reason);
});

it.each(['pause', 'unpause'] as const)('%s waits until the machine has migrated', (action) => {
  const moving = { ...machine(action === 'pause' ? 'Migrating' : 'Paused'), move: moveOf(MOVING) };
  expect(obstacle(action, moving)).toBe('It is migrating.');
});

it('an instance alone can be paused and deleted, not started and stopped', () => {
  const alone = instanceAlone(instance);
  expect(obstacle('pause', alone)).toBeUndefined();
  expect(obstacle('stop', alone)).toContain('delete it');
  expect(obstacle('forceOff', alone)).toContain('delete it');
  expect(requestFor('delete', alone).path).toBe('/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstances/web');
});

it('actions on guests go to the instance, the others to the VM', () => {
  const path = '/apis/subresources.kubevirt.io/v1/namespaces/shop';
  expect(requestFor('pause', machine('Running'))).toEqual({
    method: 'PUT',
    path: `${path}/virtualmachineinstances/web/pause`,
    body: {},
  });
  const stop = { method: 'PUT', path: `${path}/virtualmachines/web/stop` };
  expect(requestFor('stop', machine('Running'))).toEqual({ ...stop, body: {} });
  expect(requestFor('forceOff', machine('Stopping'))).toEqual({ ...stop, body: { gracePeriod: 0 } });
});

it('who may stop a machine may force it off', () => {
  expect(permissionFor('forceOff', true)).toEqual(permissionFor('stop', true));
  expect(offerFor('forceOff', [machine('Stopping')], () => false).reason).toContain('virtualmachines/stop.');
});

it('what is forbidden is told before what makes no sense now', () => {
  expect(offerFor('stop', [machine('Stopped')], () => false)).toEqual({
    isOffered: false,
    reason: 'You are not allowed to update virtualmachines/stop.subresources.kubevirt.io in namespace shop.',
  });
  expect(offerFor('stop', [machine('Stopped')], () => true).reason).toBe('It is stopped already.');
  expect(offerFor('stop', [machine('Running')], () => undefined)).toEqual({ isOffered: true });
  expect(offerFor('stop', [], () => true).isOffered).toBe(false);
});

it('of several, those are concerned for which it makes sense', () => {
  const both = [machine('Running'), machine('Stopped')];
  expect(offerFor('stop', both, () => true)).toEqual({ isOffered: true });
  expect(concerned('stop', both, () => true)).toEqual({ machines: [both[0]], forbidden: [] });
  expect(buttonText('stop', both)).toBe('Stop 2 machines');
});

it('one that is forbidden does not keep the others from being acted on, and is named', () => {
  const [allowed, forbidden] = [machine('Running'), machine('Running', { namespace: 'other' })];
  const may: May = (_, namespace) => namespace === 'shop';
  expect(offerFor('stop', [forbidden, allowed], may)).toEqual({ isOffered: true });
  expect(concerned('stop', [forbidden, allowed], may)).toEqual({ machines: [allowed], forbidden: [forbidden] });
  expect(offerFor('stop', [forbidden], may).reason).toContain('in namespace other');
  expect(offerFor('start', [forbidden, allowed], may).reason).toBe(
    'None of the selected machines that you are allowed to do this with can do that now.',
  );
});
