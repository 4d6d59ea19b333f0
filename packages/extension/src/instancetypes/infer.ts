import { badRequest, isReason, type ObjectMeta, PersistentVolumeClaim } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSpec } from '@vireo/api/kinds/cdi/dataVolumeSpec.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { MATCHER_FIELDS, type MatcherField } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';

/** What the labels of a volume say. */
interface Named {
  readonly name: string;
  readonly kind?: string;
}

/** The volume is there and names nothing: a VM may choose not to mind. */
class NothingNamed extends Error {}

/** The VM with names in place of the volumes that they are to be read from. Refuses where a volume names none. */
export async function inferTypes(vm: VirtualMachine, client: Client): Promise<VirtualMachine> {
  let result = vm;
  for (const field of MATCHER_FIELDS) result = await inferType(result, field, client);
  return result;
}

async function inferType(vm: VirtualMachine, field: MatcherField, client: Client): Promise<VirtualMachine> {
  const { inferFromVolume, inferFromVolumeFailurePolicy } = vm.spec[field] ?? {};
  if (!inferFromVolume) return vm;
  const ignores = inferFromVolumeFailurePolicy === 'Ignore';
  try {
    const named = await new Labels(client, vm, field).ofVolume(inferFromVolume);
    const spec = { ...vm.spec, [field]: named };
    // Who does not mind a volume without names also says how much memory there is then.
    return { ...vm, spec: field === 'instancetype' && ignores ? withoutMemory(spec) : spec };
  } catch (error) {
    if (!(error instanceof NothingNamed)) throw isReason(error, 'NotFound') ? badRequest(error.message) : error;
    if (!ignores) throw badRequest(error.message);
    const { [field]: _, ...spec } = vm.spec;
    return { ...vm, spec };
  }
}

function withoutMemory(spec: VirtualMachine['spec']): VirtualMachine['spec'] {
  const { template } = spec;
  if (!template.spec) return spec;
  const { memory: _, ...domain } = template.spec.domain;
  return { ...spec, template: { ...template, spec: { ...template.spec, domain } } };
}

/** Follows a volume to the first object on the way to its data that carries the labels. */
class Labels {
  readonly #client: Client;
  readonly #vm: VirtualMachine;
  readonly #field: MatcherField;

  constructor(client: Client, vm: VirtualMachine, field: MatcherField) {
    this.#client = client;
    this.#vm = vm;
    this.#field = field;
  }

  async ofVolume(volume: string): Promise<Named> {
    const found = this.#vm.spec.template.spec?.volumes?.find(({ name }) => name === volume);
    if (!found) throw badRequest(`unable to find volume ${volume} to infer defaults`);
    const { persistentVolumeClaim, dataVolume } = found;
    if (persistentVolumeClaim) return this.#ofClaim(persistentVolumeClaim.claimName, this.#vm.metadata.namespace);
    if (dataVolume) return this.#ofDataVolume(dataVolume.name);
    throw new NothingNamed(`unable to infer defaults from volume ${volume} as type is not supported`);
  }

  async #ofDataVolume(name: string): Promise<Named> {
    const template = this.#vm.spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === name);
    if (template) return this.#ofSource(template.spec);
    const { namespace } = this.#vm.metadata;
    const found = await this.#client.of(DataVolume).find(name, { namespace });
    // One that is done may be gone; its claim has its name.
    if (!found) return this.#ofClaim(name, namespace);
    return this.#read(found.metadata) ?? this.#ofSource(found.spec);
  }

  async #ofSource({ source, sourceRef }: DataVolumeSpec): Promise<Named> {
    if (source?.pvc) return this.#ofClaim(source.pvc.name, source.pvc.namespace);
    if (!sourceRef)
      throw new NothingNamed('unable to infer defaults from DataVolumeSpec as DataVolumeSource is not supported');
    const { kind, name, namespace = this.#vm.metadata.namespace } = sourceRef;
    if (kind !== DataSource.kind)
      throw new NothingNamed(`unable to infer defaults from DataVolumeSourceRef as Kind ${kind} is not supported`);
    const { metadata, spec } = await this.#client.of(DataSource).get(name, { namespace });
    const named = this.#read(metadata);
    if (named) return named;
    const { pvc } = spec.source;
    if (!pvc)
      throw new NothingNamed("unable to infer defaults from DataSource that doesn't provide DataVolumeSourcePVC");
    return this.#ofClaim(pvc.name, pvc.namespace);
  }

  async #ofClaim(name: string, namespace: string | undefined): Promise<Named> {
    const { metadata } = await this.#client.of(PersistentVolumeClaim).get(name, { namespace });
    const named = this.#read(metadata);
    if (!named) throw new NothingNamed(`unable to find required ${this.#label} label on the volume`);
    return named;
  }

  get #label(): string {
    return `instancetype.kubevirt.io/default-${this.#field}`;
  }

  #read({ labels = {} }: ObjectMeta): Named | undefined {
    const name = labels[this.#label];
    const kind = labels[`${this.#label}-kind`];
    return name === undefined ? undefined : { name, ...(kind && { kind }) };
  }
}
