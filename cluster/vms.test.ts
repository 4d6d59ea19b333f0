import { describe, expect, it } from 'vitest';
import { clusterCases } from '../e2e/cluster/cases/index.ts';
import { guestsOf } from '../e2e/vms/leftovers.ts';
import { vm } from '../e2e/vms/manifests.ts';
import { useRealCluster } from './fixture.ts';

const cluster = useRealCluster();
clusterCases(cluster);

describe('an installation with VMs', () => {
  it('is replaced by vireo install --upgrade, and its guests go on', async () => {
    const { kubectl, vireo, installOptions, directory } = cluster();
    await kubectl.do('apply -f -', { input: vm('last', { graceSeconds: 0 }) });
    await kubectl.do('wait vm/last --for=condition=Ready --timeout=120s');
    const before = await guestsOf(directory);
    expect(await vireo(`install ${installOptions} --upgrade --wait`)).toContain('is installed on Kubernetes');
    expect((await guestsOf(directory)).map(({ pid }) => pid).sort()).toEqual(before.map(({ pid }) => pid).sort());
  });

  it('is not removed by vireo uninstall while VMs run', async () => {
    expect(await cluster().vireo('uninstall')).toMatch(/VMs are running: default\/[\s\S]*exit code 1/);
    expect(await cluster().kubectl('get vm last -o name')).toBe('virtualmachine.kubevirt.io/last');
  });

  it('goes with its VMs and disks by vireo uninstall --delete-data', async () => {
    const { kubectl, vireo, directory } = cluster();
    expect(await vireo('uninstall --delete-data')).toContain('its VMs and disks are deleted');
    expect(await guestsOf(directory)).toEqual([]);
    // Those for volume snapshots and network attachments stay, because others may use them, too.
    expect((await kubectl.run('get crd -o name')).stdout).not.toMatch(/kubevirt\.io|harvesterhci\.io/);
    expect((await kubectl.run('get pvc -A -o name')).stdout).toBe('');
    await kubectl.until('get namespace kubevirt', /NotFound/);
  });
});
