import type { ControllerRevision } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import {
  type InstancetypeLookup,
  type InstancetypeOrPreference,
  instancetypeAnnotations,
  matcherKind,
  OBJECT_LABEL,
  resolveMatcher,
} from './matcher.ts';
import { instancetypeRules, matcherRules, preferenceRules, preferenceWarnings } from './rules.ts';

const vm = (spec: Partial<VirtualMachine['spec']>, status?: VirtualMachine['status']): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { template: {}, ...spec },
  ...(status && { status }),
});

const size = (guest: number): InstancetypeOrPreference['spec'] => ({ cpu: { guest }, memory: { guest: '1Gi' } });
const object = (kind: string, guest: number): InstancetypeOrPreference => ({
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind,
  metadata: { name: 'small' },
  spec: size(guest),
});
const revision = (name: string, of: string, guest: number) =>
  persisted<ControllerRevision>({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: 'shop',
      labels: { [OBJECT_LABEL.name]: of, [OBJECT_LABEL.kind]: 'VirtualMachineClusterInstancetype' },
    },
    revision: 0,
    data: { ...object('VirtualMachineClusterInstancetype', guest) },
  });

/** One type of the cluster with 1 processor, one of the namespace with 2, and revisions. */
const lookup: InstancetypeLookup = {
  async object(kind, name, namespace) {
    if (name !== 'small') return undefined;
    return object(kind.kind, namespace === 'shop' ? 2 : 1);
  },
  async revision(name) {
    return [revision('kept', 'small', 3), revision('asked', 'other', 4)].find((each) => each.metadata.name === name);
  },
};
const statusOf = (name: string) => ({ instancetypeRef: { name: 'small', controllerRevisionRef: { name } } });

describe('the kind of a matcher', () => {
  it.each([
    ['instancetype', undefined, 'VirtualMachineClusterInstancetype'],
    ['instancetype', '', 'VirtualMachineClusterInstancetype'],
    ['instancetype', 'virtualmachineinstancetype', 'VirtualMachineInstancetype'],
    ['instancetype', 'VirtualMachineInstancetypes', 'VirtualMachineInstancetype'],
    ['preference', undefined, 'VirtualMachineClusterPreference'],
    ['preference', 'VirtualMachinePreference', 'VirtualMachinePreference'],
  ] as const)('%s %s is %s', (field, kind, expected) => {
    expect(matcherKind(field, { kind }).kind).toBe(expected);
  });

  it('is refused when it is another', () => {
    expect(() => matcherKind('preference', { kind: 'VirtualMachineInstancetype' })).toThrow(
      'got unexpected kind in PreferenceMatcher: VirtualMachineInstancetype',
    );
  });

  it('shows in the annotations of the VMI', () => {
    const named = vm({
      instancetype: { name: 'small' },
      preference: { name: 'linux', kind: 'VirtualMachinePreference' },
    });
    expect(instancetypeAnnotations(named)).toEqual({
      'kubevirt.io/cluster-instancetype-name': 'small',
      'kubevirt.io/preference-name': 'linux',
    });
  });
});

describe('what a VMI names', () => {
  it.each<[string, VirtualMachine, number | undefined]>([
    ['nothing', vm({}), undefined],
    ['the type of the cluster', vm({ instancetype: { name: 'small' } }), 1],
    ['the type of its namespace', vm({ instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } }), 2],
    ['the revision that was kept for it', vm({ instancetype: { name: 'small' } }, statusOf('kept')), 3],
    ['the type, as the revision is of another', vm({ instancetype: { name: 'small' } }, statusOf('asked')), 1],
    [
      'the revision that it asks for',
      vm({ instancetype: { name: 'small', revisionName: 'asked' } }, statusOf('kept')),
      4,
    ],
    [
      'the type, as the revision is of another kind',
      vm({ instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } }, statusOf('kept')),
      2,
    ],
  ])('is %s', async (_, vm, guest) => {
    const found = await resolveMatcher(vm, 'instancetype', lookup);
    expect(found?.spec).toEqual(guest && size(guest));
  });

  it.each<[string, VirtualMachine]>([
    [
      'virtualmachineclusterinstancetypes.instancetype.kubevirt.io "large" not found',
      vm({ instancetype: { name: 'large' } }),
    ],
    ['controllerrevisions.apps "gone" not found', vm({ instancetype: { name: 'small', revisionName: 'gone' } })],
    ['controllerrevisions.apps "gone" not found', vm({ instancetype: { name: 'small' } }, statusOf('gone'))],
  ])('may be missing: %s', async (message, vm) => {
    await expect(resolveMatcher(vm, 'instancetype', lookup)).rejects.toThrow(message);
  });
});

describe('the rules of matchers', () => {
  it.each<[VirtualMachine['spec']['instancetype'], string[]]>([
    [{ name: 'small' }, []],
    [{ inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }, []],
    [{}, ['spec.instancetype: Either Name or InferFromVolume should be provided within the instancetype matcher']],
    [
      { inferFromVolume: 'root', name: 'small', kind: 'k' },
      [
        'spec.instancetype.name: Name should not be provided when InferFromVolume is used within the instancetype matcher',
        'spec.instancetype.kind: Kind should not be provided when InferFromVolume is used within the instancetype matcher',
      ],
    ],
    [
      { name: 'small', inferFromVolumeFailurePolicy: 'Shrug' },
      ["spec.instancetype.inferFromVolumeFailurePolicy: Invalid value 'Shrug' for InferFromVolumeFailurePolicy"],
    ],
  ])('of the matcher %j', (instancetype, expected) => {
    expect(matcherRules(vm({ instancetype })).map(({ field, text }) => `${field}: ${text}`)).toEqual(expected);
  });

  it('a revision goes with the name it was kept for', () => {
    const before = vm({ instancetype: { name: 'small', revisionName: 'kept' } });
    const renamed = (revisionName?: string) => vm({ instancetype: { name: 'large', revisionName } });
    expect(matcherRules(renamed('kept'), before)).toMatchObject([{ field: 'spec.instancetype.revisionName' }]);
    expect(matcherRules(renamed(), before)).toEqual([]);
    expect(matcherRules(vm({}), before)).toEqual([]);
  });

  it('apply to instance types and preferences as well', () => {
    const both = { guest: '1Gi', overcommitPercent: 10, hugepages: { pageSize: '2Mi' } };
    expect(instancetypeRules({ cpu: { guest: 1 }, memory: both })).toMatchObject([
      { field: 'spec.memory.overcommitPercent' },
    ]);
    const threads = { across: 'CoresThreads', ratio: 4 } as const;
    const spread = { cpu: { preferredCPUTopology: 'preferSpread', spreadOptions: threads } } as const;
    expect(preferenceRules(spread)).toMatchObject([{ field: 'spec.cpu.spreadOptions.ratio' }]);
    expect(preferenceWarnings(spread)).toEqual([
      'PreferredCPUTopology preferSpread is deprecated for removal in a future release, please use spread instead',
    ]);
  });
});
