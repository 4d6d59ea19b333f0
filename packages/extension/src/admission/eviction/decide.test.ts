import type { Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../../testing/vms.ts';
import { attachmentEviction, launcherEviction } from './decide.ts';

const pod = (nodeName = 'n1', phase = 'Running'): Persisted<Pod> =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'virt-launcher-web-x', namespace: 'default' },
    spec: { nodeName, containers: [] },
    status: { phase },
  });
const fixed = vmiWith();
const mobile = vmiWith({ conditions: ['LiveMigratable'] });
const leaving = vmiWith({ conditions: ['LiveMigratable'], status: { evacuationNodeName: 'n1' } });
const ended = vmiWith({ phase: 'Failed', conditions: ['LiveMigratable'] });

const triggered = 'Eviction triggered evacuation of VMI "default/web"';
const immobile = 'VMI web is configured with an eviction strategy but is not live-migratable';

it.each<[string, string, Vmi | undefined, Persisted<Pod>, string]>([
  ['None lets the guest go down', 'None', mobile, pod(), 'allow'],
  ['LiveMigrate moves the guest', 'LiveMigrate', mobile, pod(), `evacuate ${triggered}`],
  ['LiveMigrate protects a guest that cannot move', 'LiveMigrate', fixed, pod(), `deny ${immobile}`],
  ['LiveMigrateIfPossible moves the guest', 'LiveMigrateIfPossible', mobile, pod(), `evacuate ${triggered}`],
  ['LiveMigrateIfPossible lets go of a guest that cannot move', 'LiveMigrateIfPossible', fixed, pod(), 'allow'],
  ['External marks every guest', 'External', fixed, pod(), `evacuate ${triggered}`],
  ['a guest is marked once', 'LiveMigrate', leaving, pod(), `deny Evacuation in progress: ${triggered}`],
  ['the target of a migration stays', 'LiveMigrate', mobile, pod('n2'), 'deny Eviction request for target Pod'],
  ['a guest that has ended is in nobody’s way', 'LiveMigrate', ended, pod(), 'allow'],
  ['so is a launcher that has', 'LiveMigrate', mobile, pod('n1', 'Succeeded'), 'allow'],
  ['and one without a VMI', 'LiveMigrate', undefined, pod(), 'allow'],
])('%s', (_, strategy, vmi, launcher, expected) => {
  const decision = launcherEviction(launcher, vmi, strategy);
  expect(decision.action === 'allow' ? 'allow' : `${decision.action} ${decision.message}`).toBe(expected);
});

it('an attachment pod stays as long as its guest', () => {
  const message = 'cannot evict hotplug pod: virt-launcher-web-x associated with running vmi: web in namespace default';
  expect(attachmentEviction(pod(), fixed)).toEqual({ action: 'deny', message });
  expect(attachmentEviction(pod(), ended)).toEqual({ action: 'allow' });
  expect(attachmentEviction(pod(), undefined)).toEqual({ action: 'allow' });
});
