import { readFile } from 'node:fs/promises';
import { ApiError } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { actionsAsMarkdown } from '../testing/actionsPage.ts';
import { resourceList } from './discovery.ts';
import { route } from './routes.ts';
import { ACTIONS } from './table.ts';

const ROOT = '/apis/subresources.kubevirt.io';

/** Where a request goes, in a line. */
function destination(method: string, path: string, root = ROOT): string {
  try {
    const to = route(ACTIONS, method, `${root}${path}`);
    if (to.to !== 'action') return [to.to, 'name' in to ? to.name : ''].join(' ').trim();
    const { action, namespace, name, parameters } = to;
    return [action.resource, action.name, `${namespace}/${name}`, ...Object.values(parameters)].join(' ');
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

describe("paths of KubeVirt's group", () => {
  const vm = '/v1/namespaces/default/virtualmachines/web';
  const vmi = '/v1/namespaces/default/virtualmachineinstances/web';
  it.each([
    ['GET', '/v1', 'discovery'],
    ['GET', '/v1alpha3', 'discovery'],
    ['GET', '/v2', '404 the server could not find the requested resource'],
    ['GET', '/v1/version', 'installation version'],
    ['PUT', '/v1/namespaces/default/expand-vm-spec', 'namespace expand-vm-spec'],
    ['PUT', `${vm}/start`, 'virtualmachines start default/web'],
    ['PUT', `/v1alpha3/namespaces/default/virtualmachines/web/stop`, 'virtualmachines stop default/web'],
    [
      'POST',
      `${vm}/start`,
      '405 POST is not supported on resources of kind "virtualmachines/start.subresources.kubevirt.io"',
    ],
    ['PUT', `${vm}/fly`, '404 the server could not find the requested resource'],
    ['PUT', `${vm}/start/now`, '404 the server could not find the requested resource'],
    ['GET', `${vmi}/vnc`, 'virtualmachineinstances vnc default/web'],
    ['GET', `${vmi}/vnc/screenshot`, 'virtualmachineinstances vnc/screenshot default/web'],
    ['GET', `${vmi}/portforward/22`, 'virtualmachineinstances portforward default/web 22'],
    ['GET', `${vmi}/portforward/53/udp`, 'virtualmachineinstances portforward default/web 53 udp'],
    ['GET', `${vmi}/portforward`, '404 the server could not find the requested resource'],
    ['PUT', `${vmi}/evacuate/cancel`, 'virtualmachineinstances evacuate/cancel default/web'],
    ['PUT', `${vm}/start/`, 'virtualmachines start default/web'],
    ['GET', `${vmi}//console`, '404 the server could not find the requested resource'],
    [
      'PUT',
      '/v1/namespaces/default//virtualmachines/web/start',
      '404 the server could not find the requested resource',
    ],
    ['PUT', '/v1/namespaces/default/virtualmachines//start', '404 the server could not find the requested resource'],
    ['PUT', '/v1/namespaces//virtualmachines/web/start', '404 the server could not find the requested resource'],
    [
      'PUT',
      '/v1//namespaces/default/virtualmachines/web/start',
      '404 the server could not find the requested resource',
    ],
    ['GET', '/v1/namespaces/default/pods/web/console', '404 the server could not find the requested resource'],
    ['GET', '/v1/namespaces/default/secrets/keys/dependents', 'dependents keys'],
    ['GET', '/v1/namespaces/default/nodes/n1/dependents', '404 the server could not find the requested resource'],
  ])('%s %s: %s', (method, path, expected) => {
    expect(destination(method, path)).toBe(expected);
  });
});

describe("paths of Harvester's group", () => {
  const root = '/apis/subresources.harvesterhci.io';
  const vm = '/v1beta1/namespaces/default/virtualmachines/web';
  const missing = '404 the server could not find the requested resource';
  const refused = (method: string, what: string) =>
    `405 ${method} is not supported on resources of kind "${what}.subresources.harvesterhci.io"`;
  it.each([
    ['GET', '/v1beta1', 'discovery'],
    ['GET', '/v1', missing],
    ['POST', `${vm}/stop`, 'virtualmachines stop default/web'],
    ['PUT', `${vm}/stop`, 'virtualmachines stop default/web'],
    ['GET', `${vm}/stop`, refused('GET', 'virtualmachines/stop')],
    ['GET', `${vm}/findMigratableNodes`, 'virtualmachines findMigratableNodes default/web'],
    ['POST', `${vm}/findMigratableNodes`, refused('POST', 'virtualmachines/findMigratableNodes')],
    ['POST', '/v1beta1/nodes/n1/enableCPUManager', 'nodes enableCPUManager undefined/n1'],
    ['POST', '/v1beta1/namespaces/default/nodes/n1/enableCPUManager', missing],
    ['POST', '/v1beta1/virtualmachines/web/stop', missing],
    ['POST', '/v1beta1/namespaces/dev/namespaces/dev/updateResourceQuota', 'namespaces updateResourceQuota dev/dev'],
    // A server has read this as the resource updateResourceQuota in the namespace dev.
    ['POST', '/v1beta1/namespaces/dev/updateResourceQuota', missing],
    ['POST', `${vm}/STOP`, missing],
    ['POST', `${vm}`, missing],
    ['POST', '/v1beta1/namespaces/default/virtualmachines/%2e%2e/stop', missing],
    ['POST', '/v1beta1/namespaces/default/virtualmachines/%/stop', missing],
  ])('%s %s: %s', (method, path, expected) => {
    expect(destination(method, path, root)).toBe(expected);
  });
});

describe('what follows from the table', () => {
  const ofKubeVirt = ACTIONS.filter(({ group }) => group === 'subresources.kubevirt.io');

  it('no action is there twice', () => {
    const names = ACTIONS.map(({ group, resource, name, method }) => `${method} ${group} ${resource}/${name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('discovery lists every action with its verb', () => {
    const { groupVersion, resources } = resourceList(ACTIONS, 'subresources.kubevirt.io', 'v1alpha3');
    expect(groupVersion).toBe('subresources.kubevirt.io/v1alpha3');
    expect(resources.find(({ name }) => name === 'virtualmachines/start')).toMatchObject({
      namespaced: true,
      verbs: ['update'],
    });
    for (const { resource, name } of ofKubeVirt)
      expect(resources.map((each) => each.name)).toContain(`${resource}/${name}`);
  });

  it("discovery lists Harvester's actions in their own group, with both verbs", () => {
    const { groupVersion, resources } = resourceList(ACTIONS, 'subresources.harvesterhci.io', 'v1beta1');
    expect(groupVersion).toBe('subresources.harvesterhci.io/v1beta1');
    const named = (name: string) => resources.find((each) => each.name === name);
    expect(named('virtualmachines/stop')).toMatchObject({
      namespaced: true,
      kind: 'VirtualMachine',
      group: 'kubevirt.io',
      version: 'v1',
      verbs: ['create', 'update'],
    });
    expect(named('nodes/enableCPUManager')).toMatchObject({ namespaced: false, kind: 'Node' });
    expect(named('virtualmachines/findMigratableNodes')).toMatchObject({ verbs: ['get'] });
    expect(resources).toHaveLength(ACTIONS.length - ofKubeVirt.length);
  });

  it('documentation has a row for every action', () => {
    const table = actionsAsMarkdown(ACTIONS);
    expect(table).toContain(
      '| `virtualmachines/{name}/start` | PUT | StartOptions | edit | Starts the VM. With `paused`, the guest starts paused. |',
    );
    expect(table.trim().split('\n')).toHaveLength(ofKubeVirt.length + 2);
  });

  it('ACTIONS.md is up to date', async () => {
    const page = await readFile(new URL('../../ACTIONS.md', import.meta.url), 'utf8');
    expect(page).toContain(actionsAsMarkdown(ACTIONS));
  });
});
