import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { architectureOf, hasPcie } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { hypervisorOf, registries, resolveAdmission } from '../registries.ts';
import { finalize, PCI_TOPOLOGY_ANNOTATION, PCI_TOPOLOGY_VERSION } from './finalize.ts';
import { type DefaultsProvider, fillUnset } from './layer.ts';
import { completeStructure } from './structure.ts';

export { pullPolicy } from './base.ts';
export { PCI_TOPOLOGY_ANNOTATION } from './finalize.ts';
export { type DefaultsProvider, fillUnset, type Proposal } from './layer.ts';

/** What the world outside decides: the functions here stay pure. */
export interface DefaultsSources {
  /** Makes a UUID; `crypto.randomUUID`. */
  readonly randomUuid: () => string;
  /** The present, in RFC 3339. */
  readonly now: string;
}

/** The layers for a VMI, from the most specific to the most general. */
function layersFor(architecture: string, config: ClusterConfig): DefaultsProvider[] {
  return registries.defaults.layers(hypervisorOf(config), architecture).reverse();
}

/** A new VM with what admission writes into it: identity, architecture and machine type. On updates nothing is new. */
export function applyVmDefaults(
  vm: VirtualMachine,
  config: ClusterConfig,
  sources: DefaultsSources,
  operation: 'CREATE' | 'UPDATE' = 'CREATE',
): VirtualMachine {
  const template = vm.spec.template?.spec;
  if (!template) return vm;
  const layers = layersFor(architectureOf(template, config), config);
  const proposed = layers.reduce((filled, layer) => fillUnset(filled, layer.applyVmDefaults?.(vm, config)), vm);
  const isNew = operation === 'CREATE';
  const { firmware, machine } = proposed.spec.template.spec?.domain ?? {};
  return fillUnset(proposed, {
    spec: {
      template: {
        metadata:
          hasPcie(machine?.type ?? '') && isNew
            ? { annotations: { [PCI_TOPOLOGY_ANNOTATION]: PCI_TOPOLOGY_VERSION } }
            : undefined,
        spec: isNew
          ? {
              domain: {
                firmware: {
                  uuid: firmware?.uuid ? undefined : sources.randomUuid(),
                  serial: firmware?.serial ? undefined : sources.randomUuid(),
                },
              },
            }
          : undefined,
      },
    },
  });
}

/** The spec of a VMI with every layer's defaults; what `applyVmiDefaults` does to the spec before finalization. */
export function applyVmiSpecDefaults(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
): VirtualMachineInstanceSpec {
  const complete = completeStructure(spec, config);
  return layersFor(architectureOf(complete, config), config).reduce(
    (filled, layer) => fillUnset(filled, layer.applyVmiSpecDefaults?.(complete, config)),
    complete,
  );
}

/** A new VMI with everything that the user left open. Applying it twice changes nothing. */
export function applyVmiDefaults(
  given: VirtualMachineInstance,
  config: ClusterConfig,
  sources: DefaultsSources,
): VirtualMachineInstance {
  const vmi = mutateVmi(given, config);
  const defaulted = applyVmiSpecDefaults(vmi.spec, config);
  const uuid = defaulted.domain.firmware?.uuid || sources.randomUuid();
  const spec = {
    ...defaulted,
    domain: { ...defaulted.domain, firmware: { ...defaulted.domain.firmware, uuid } },
  };
  const finished = finalize({ ...vmi, spec }, config, sources.now);
  const layers = layersFor(architectureOf(spec, config), config).reverse();
  return layers.reduce((result, layer) => layer.finalizeVmi?.(result, config) ?? result, finished);
}

/** What the hypervisor's admission makes of the object, before any default. */
function mutateVmi(vmi: VirtualMachineInstance, config: ClusterConfig): VirtualMachineInstance {
  return resolveAdmission(config, architectureOf(vmi.spec, config))?.mutateVmi?.(vmi, config) ?? vmi;
}
