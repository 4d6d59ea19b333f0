import { describe, expect, expectTypeOf, it } from 'vitest';
import type { JSONSchemaProps } from '../apiextensions/jsonSchemaProps.ts';
import { type Disk, kubevirtCrds, type VirtualMachine, type VirtualMachineCondition } from './index.ts';

const crds = kubevirtCrds();
const crd = (name: string) => {
  const found = crds.find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no definition ${name}`);
  return found;
};

/** Columns as kubectl heads them; those of `-o wide` after a bar. */
function columns(name: string): string {
  const shown = crd(name).spec.versions[0]?.additionalPrinterColumns ?? [];
  const heads = (wide: boolean) =>
    shown.filter(({ priority = 0 }) => priority > 0 === wide).map((column) => column.name);
  return [heads(false).join(' '), ...(heads(true).length > 0 ? [heads(true).join(' ')] : [])].join(' | ');
}

describe('what kubectl shows', () => {
  it('of all kinds that there are, without a warning that one of them is deprecated', () => {
    const shown = crds.filter(({ spec }) => spec.names.categories?.includes('all'));
    expect(shown.map(({ spec }) => spec.names.kind)).toContain('VirtualMachine');
    const preferred = shown.flatMap(({ spec }) => spec.versions.slice(0, 1));
    expect(preferred.filter(({ deprecated }) => deprecated)).toEqual([]);
  });

  it.each([
    ['virtualmachines.kubevirt.io', 'Age Status Ready'],
    ['virtualmachineinstances.kubevirt.io', 'Age Phase IP NodeName Ready | Live-Migratable Paused'],
    ['virtualmachineinstancereplicasets.kubevirt.io', 'Desired Current Ready Age'],
    ['virtualmachineinstancemigrations.kubevirt.io', 'Phase VMI'],
    ['virtualmachineinstancepresets.kubevirt.io', ''],
    ['kubevirts.kubevirt.io', 'Age Phase'],
    ['virtualmachinepools.pool.kubevirt.io', 'Desired Current Ready Age'],
    ['virtualmachinesnapshots.snapshot.kubevirt.io', 'SourceKind SourceName Phase ReadyToUse CreationTime Error'],
    ['virtualmachinesnapshotcontents.snapshot.kubevirt.io', 'ReadyToUse CreationTime Error'],
    ['virtualmachinerestores.snapshot.kubevirt.io', 'TargetKind TargetName Complete RestoreTime'],
    ['virtualmachineclones.clone.kubevirt.io', 'Phase SourceVirtualMachine TargetVirtualMachine'],
    ['virtualmachineexports.export.kubevirt.io', 'SourceKind SourceName Phase'],
    ['datavolumes.cdi.kubevirt.io', 'Phase Progress Restarts Age'],
    ['network-attachment-definitions.k8s.cni.cncf.io', 'Age'],
    [
      'volumesnapshots.snapshot.storage.k8s.io',
      'ReadyToUse SourcePVC SourceSnapshotContent RestoreSize SnapshotClass SnapshotContent CreationTime Age',
    ],
  ])('%s: %s', (name, expected) => {
    expect(columns(name)).toBe(expected);
  });
});

describe('versions', () => {
  const versions = (name: string) =>
    crd(name).spec.versions.map(({ name: version, storage, deprecated }) =>
      [version, storage && 'stored', deprecated && 'deprecated'].filter(Boolean).join(' '),
    );

  it.each([
    ['virtualmachines.kubevirt.io', ['v1 stored', 'v1alpha3 deprecated']],
    ['virtualmachineinstancereplicasets.kubevirt.io', ['v1 stored', 'v1alpha3 deprecated', 'v1alpha2 deprecated']],
    ['kubevirts.kubevirt.io', ['v1 stored', 'v1alpha3 deprecated']],
    ['virtualmachineinstancepresets.kubevirt.io', ['v1 stored deprecated', 'v1alpha3 deprecated']],
    ['virtualmachinepools.pool.kubevirt.io', ['v1beta1 stored', 'v1alpha1']],
    ['virtualmachinesnapshots.snapshot.kubevirt.io', ['v1beta1 stored', 'v1alpha1']],
    ['virtualmachineclones.clone.kubevirt.io', ['v1beta1 stored', 'v1alpha1']],
    ['virtualmachineexports.export.kubevirt.io', ['v1 stored', 'v1beta1 deprecated']],
    ['virtualmachineinstancetypes.instancetype.kubevirt.io', ['v1beta1 stored']],
    ['migrationpolicies.migrations.kubevirt.io', ['v1alpha1 stored']],
    ['datavolumes.cdi.kubevirt.io', ['v1beta1 stored']],
  ])('%s: %j', (name, expected) => {
    expect(versions(name)).toEqual(expected);
  });

  it('say what to use instead', () => {
    expect(crd('virtualmachines.kubevirt.io').spec.versions[1]?.deprecationWarning).toBe(
      'kubevirt.io/v1alpha3 is deprecated; use kubevirt.io/v1',
    );
  });
});

describe('subresources', () => {
  const subresources = (name: string) => crd(name).spec.versions[0]?.subresources;

  it('of sets are status and scale', () => {
    const both = {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.labelSelector',
      },
    };
    expect(subresources('virtualmachineinstancereplicasets.kubevirt.io')).toEqual(both);
    expect(subresources('virtualmachinepools.pool.kubevirt.io')).toEqual(both);
  });

  it('of VMIs are none: their status is written with the object', () => {
    expect(subresources('virtualmachines.kubevirt.io')).toEqual({ status: {} });
    expect(subresources('virtualmachineinstances.kubevirt.io')).toBeUndefined();
  });
});

describe('definitions', () => {
  it('fill in nothing but what KubeVirt and Harvester fill in by schema, and a number of replicas', () => {
    const found: string[] = [];
    const scan = (schema: JSONSchemaProps, path: string): void => {
      if (schema.default !== undefined) found.push(`${path}=${schema.default}`);
      for (const [name, child] of Object.entries(schema.properties ?? {})) scan(child, `${path}.${name}`);
      if (schema.items && !Array.isArray(schema.items)) scan(schema.items, `${path}[]`);
      if (typeof schema.additionalProperties === 'object') scan(schema.additionalProperties, `${path}{}`);
    };
    for (const { spec } of crds) scan(spec.versions[0]?.schema?.openAPIV3Schema ?? {}, spec.names.kind);
    expect(found).toEqual([
      'VirtualMachineInstanceReplicaSet.spec.replicas=1',
      'KubeVirt.spec.configuration.confidentialCompute.tdx.attestation.enforced=false',
      'KubeVirt.spec.configuration.confidentialCompute.tdx.attestation.qgsSocketPath=/var/run/tdx-qgs/qgs.socket',
      'VirtualMachinePool.spec.replicas=1',
      'VirtualMachineRestore.spec.targetReadinessPolicy=WaitGracePeriod',
      'VirtualMachineImage.spec.backend=backingimage',
      'VirtualMachineImage.spec.retry=3',
      'VirtualMachineBackup.spec.type=backup',
      'ScheduleVMBackup.spec.maxFailure=4',
      'ScheduleVMBackup.spec.retain=8',
      'ScheduleVMBackup.spec.suspend=false',
      'ScheduleVMBackup.spec.vmbackup.type=backup',
    ]);
  });

  it('are small enough for kubectl apply, which keeps a copy in an annotation', () => {
    const annotationLimit = 262_144;
    for (const definition of crds) {
      expect(JSON.stringify(definition).length, definition.metadata.name).toBeLessThan(annotationLimit);
    }
  });

  it('name the review that lets them be below k8s.io', () => {
    const guarded = crds.filter(({ spec }) => spec.group.endsWith('.k8s.io'));
    expect(guarded).toHaveLength(3);
    for (const { metadata } of guarded) expect(metadata.annotations).toHaveProperty(['api-approved.kubernetes.io']);
  });
});

it('types follow from the schemas', () => {
  expectTypeOf<VirtualMachine['spec']['runStrategy']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<VirtualMachine['spec']['template']>().not.toBeNullable();
  expectTypeOf<Disk>().toHaveProperty('name').toEqualTypeOf<string>();
  expectTypeOf<VirtualMachineCondition['lastProbeTime']>().toEqualTypeOf<string | null | undefined>();
});
