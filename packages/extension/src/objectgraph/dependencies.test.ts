import type { Schema } from '@vireo/api';
import { DataVolumeSpec } from '@vireo/api/kinds/cdi/dataVolumeSpec.ts';
import { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { VirtualMachineSpec } from '@vireo/api/kinds/kubevirt/virtualMachineSpec.ts';
import { describe, expect, it } from 'vitest';
import { CLAIM, DATA_VOLUME, VMI_REFERENCES } from './dependencies.ts';
import type { Section } from './references.ts';

/** Every field of a schema that holds text, by its path. */
function textFields(schema: Schema, path = ''): string[] {
  if (schema.items) return textFields(schema.items, `${path}[]`);
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, { schema: inner }]) =>
      textFields(inner, path ? `${path}.${name}` : name),
    );
  return schema.type === 'string' ? [path] : [];
}

const declared = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ each, references }) => references.map(({ at }) => (each ? `${each}.${at}` : at)));

/** Whether a field is called as references to objects are. */
const looksLikeReference = (path: string): boolean =>
  /(name|ref|secret|secrets|headers|class|account)(\[\])?$/i.test(path);

/** Called so, and no reference to an object: a field below one of these, or itself. */
const VMI_OTHERS = [
  // Names within the VM.
  /^domain\.devices\.(disks|filesystems|gpus|hostDevices|inputs|interfaces|sound|watchdog)\b.*\.(name|deviceName|claimName|requestName|tag)$/,
  /^(networks|volumes|utilityVolumes|resourceClaims)\[\]\.name$/,
  /^networks\[\]\.resourceClaim\./,
  /^domain\.firmware\.acpi\.(msdm|slic)NameRef$/,
  // Of the guest, of its network, of the scheduler.
  /^domain\.devices\.interfaces\[\]\.dhcpOptions\./,
  /^(hostname|schedulerName)$/,
  /^dnsConfig\./,
  /^(livenessProbe|readinessProbe)\./,
  /^volumes\[\]\.downwardAPI\./,
  /^(affinity|topologySpreadConstraints)\b/,
  /^domain\.(cpu|clock)\./,
  // The plug-in is set up in the settings of the installation.
  /^domain\.devices\.interfaces\[\]\.binding\.name$/,
];

describe('declarations', () => {
  it('have every field of a VMI that names an object', () => {
    const known = new Set(declared([...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest]));
    const forgotten = textFields(VirtualMachineInstanceSpec).filter(
      (path) => looksLikeReference(path) && !known.has(path) && !VMI_OTHERS.some((other) => other.test(path)),
    );
    expect(forgotten).toEqual([]);
  });

  it('have every field of a DataVolume that names an object', () => {
    const claim = ['pvc', 'storage'].flatMap((at) => CLAIM.map((reference) => `${at}.${reference.at}`));
    const known = new Set([...declared(DATA_VOLUME), ...claim]);
    // Values of headers; a class of attributes that nothing here has; and what a claim starts as, which is no matter
    // before there is one.
    const others = [/^source\.http\.extraHeaders/, /\.volumeAttributesClassName$/, /\.dataSource(Ref)?\.name$/];
    const forgotten = textFields(DataVolumeSpec).filter(
      (path) => looksLikeReference(path) && !known.has(path) && !others.some((other) => other.test(path)),
    );
    expect(forgotten).toEqual([]);
  });

  it('have every field of a VM beside its template that names an object', () => {
    const beside = textFields(VirtualMachineSpec).filter(
      (path) => looksLikeReference(path) && !/^(template|dataVolumeTemplates\[\]\.spec)\./.test(path),
    );
    expect(beside).toEqual([
      // The graph has them by themselves.
      'instancetype.name',
      'instancetype.revisionName',
      'preference.name',
      'preference.revisionName',
    ]);
  });

  it('name only fields that there are', () => {
    const fields = new Set(textFields(VirtualMachineInstanceSpec));
    expect(declared([...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest]).filter((path) => !fields.has(path))).toEqual([]);
    const ofDataVolumes = new Set(textFields(DataVolumeSpec));
    expect(declared(DATA_VOLUME).filter((path) => !ofDataVolumes.has(path))).toEqual([]);
  });
});
