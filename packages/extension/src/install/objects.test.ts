import type { ClusterRole } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../actions/table.ts';
import { RULES } from '../admission/rules.ts';
import { installObjects } from './objects.ts';

interface Configuration {
  readonly webhooks: {
    name: string;
    clientConfig: { caBundle?: string; service: { path: string } };
    rules: { apiGroups: string[]; apiVersions: string[]; resources: string[]; operations: string[] }[];
  }[];
}

const objects = installObjects();
const named = <T>(kind: string, name: string): T =>
  objects.find((object) => object.kind === kind && object.metadata.name === name) as unknown as T;

describe('what is installed', () => {
  it('brings every version of the subresources here', () => {
    const names = objects.filter(({ kind }) => kind === 'APIService').map(({ metadata }) => metadata.name);
    expect(names).toEqual([
      'v1.subresources.kubevirt.io',
      'v1alpha3.subresources.kubevirt.io',
      'v1beta1.subresources.harvesterhci.io',
      'v1beta1.subresources.template.kubevirt.io',
      'v1alpha1.subresources.template.kubevirt.io',
      'v1beta1.upload.cdi.kubevirt.io',
    ]);
  });

  it('asks every rule at its own path', () => {
    const webhooks = [
      ...named<Configuration>('MutatingWebhookConfiguration', 'virt-api-mutator').webhooks,
      ...named<Configuration>('ValidatingWebhookConfiguration', 'virt-api-validator').webhooks,
    ];
    const paths = webhooks.map(({ clientConfig }) => clientConfig.service.path);
    expect(paths.toSorted()).toEqual(RULES.map(({ path }) => path).toSorted());
    expect(new Set(paths).size).toBe(paths.length);
    expect(webhooks.find(({ name }) => name === 'virtualmachine-validator.kubevirt.io')?.rules).toEqual([
      {
        apiGroups: ['kubevirt.io'],
        apiVersions: ['v1', 'v1alpha3'],
        resources: ['virtualmachines'],
        operations: ['CREATE', 'UPDATE'],
        scope: '*',
      },
    ]);
  });

  it('carries the certificates of a listener, where there is one', () => {
    const withListener = JSON.stringify(installObjects({ caBundle: 'Y2E=' }));
    expect(withListener.split('"caBundle":"Y2E="')).toHaveLength(RULES.length + 6 + 1);
    expect(JSON.stringify(objects)).not.toContain('caBundle');
  });
});

describe('roles', () => {
  /** `verb resource` of everything that a role grants in the group of subresources. */
  const grants = (name: string): string[] =>
    (named<ClusterRole>('ClusterRole', `kubevirt.io:${name}`).rules ?? [])
      .filter(({ apiGroups }) => apiGroups?.includes('subresources.kubevirt.io'))
      .flatMap(({ verbs, resources }) =>
        (resources ?? []).flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
      );

  it.each([
    ['get virtualmachineinstances/console', ['admin', 'edit']],
    ['get virtualmachineinstances/vnc/screenshot', ['admin']],
    ['get virtualmachineinstances/guestosinfo', ['admin', 'edit', 'view']],
    ['update virtualmachines/start', ['admin', 'edit']],
    ['update virtualmachineinstances/exec', ['admin', 'edit']],
    ['get virtualmachineinstances/file', ['admin', 'edit']],
    ['get secrets/dependents', ['admin', 'edit', 'view']],
    ['update virtualmachines/migrate', ['migrate']],
    ['update expand-vm-spec', ['admin', 'edit', 'view']],
    ['get version', ['default']],
    ['get virtualmachineinstances/vsock', []],
  ])('%s is for %j', (grant, roles) => {
    const all = ['default', 'admin', 'edit', 'view', 'migrate'];
    expect(all.filter((role) => grants(role).includes(grant))).toEqual(roles);
  });

  it('know every action but those that are left to the cluster', () => {
    const granted = new Set(['admin', 'migrate'].flatMap(grants));
    const own = ACTIONS.filter(({ group }) => group === 'subresources.kubevirt.io');
    for (const { resource, name, method, minimumRole: to } of own)
      expect(granted.has(`${method === 'PUT' ? 'update' : 'get'} ${resource}/${name}`)).toBe(to !== 'none');
  });

  it('keep collections for administrators, and migrations for looking at', () => {
    const rules = (name: string) => named<ClusterRole>('ClusterRole', `kubevirt.io:${name}`).rules ?? [];
    const verbs = (role: string, resource: string) =>
      rules(role).find(({ resources }) => resources?.includes(resource))?.verbs;
    expect(verbs('admin', 'virtualmachines')).toContain('deletecollection');
    expect(verbs('edit', 'virtualmachines')).not.toContain('deletecollection');
    expect(verbs('edit', 'virtualmachineinstancemigrations')).toEqual(['get', 'list', 'watch']);
    expect(verbs('admin', 'kubevirts')).toBeUndefined();
    expect(verbs('edit', 'virtualmachineinstancereplicasets/scale')).toEqual(['get', 'update', 'patch']);
    expect(verbs('view', 'virtualmachineinstancereplicasets/scale')).toEqual(['get']);
  });
});
