import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { duration, optional, required } from '../customResource.ts';

const filled = { ...string, minLength: 1 };
const failureStrategy = optional(oneOf('Fail', 'Ignore'), 'What a failure does: Fail the VM, or Ignore it.');
const condition = optional(string, 'Selects the guests with a CEL expression. If empty, all.');

export const CELDomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.CELDomainHook',
  'Changes the domain with a CEL expression.',
  {
    expression: required(filled, 'Expression in CEL that returns the changed domain.'),
  },
);
export interface CELDomainHook extends Infer<typeof CELDomainHook> {}

export const SidecarDomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.SidecarDomainHook',
  'Asks a sidecar container to change the domain.',
  {
    socketPath: required(filled, 'Path of the socket that the sidecar listens on.'),
  },
);
export interface SidecarDomainHook extends Infer<typeof SidecarDomainHook> {}

export const DomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.DomainHook',
  'Changes the libvirt domain of a guest before it starts. Set cel or sidecar.',
  {
    cel: optional(CELDomainHook, 'Change the domain with a CEL expression.'),
    condition,
    failureStrategy,
    sidecar: optional(SidecarDomainHook, 'Ask a sidecar container to change the domain.'),
    timeout: optional(duration, 'Maximum time that the hook may take.'),
  },
);
export interface DomainHook extends Infer<typeof DomainHook> {}

export const NodeHook = struct(
  'io.kubevirt.plugin.v1alpha1.NodeHook',
  'A hook on the node that is called during the life of a guest.',
  {
    condition,
    failureStrategy,
    permittedHooks: required(
      { ...list(string, 'atomic'), minItems: 1 },
      'Points at which it is called: PreVMStart, PostVMStart, PreVMStop, PostVMStop, and Pre and Post of MigrationSource and MigrationTarget.',
    ),
    socket: required(filled, 'Path of the socket that the hook listens on.'),
    timeout: optional(duration, 'Maximum time that the hook may take.'),
  },
);
export interface NodeHook extends Infer<typeof NodeHook> {}

export const AdmissionReference = struct(
  'io.kubevirt.plugin.v1alpha1.AdmissionReference',
  'Refers to a cluster-wide admission object.',
  {
    name: required(filled, 'Name of the admission object.'),
  },
);
export interface AdmissionReference extends Infer<typeof AdmissionReference> {}

const references = list(AdmissionReference, 'atomic');

export const PluginSpec = struct('io.kubevirt.plugin.v1alpha1.PluginSpec', 'Hooks and admission objects of a plugin.', {
  condition,
  domainHooks: optional(list(DomainHook, 'atomic'), 'Hooks that change the domain, in order.'),
  failureStrategy,
  mutatingAdmissionPolicies: optional(references, 'MutatingAdmissionPolicies that belong to the plugin.'),
  mutatingAdmissionWebhooks: optional(references, 'MutatingWebhookConfigurations that belong to the plugin.'),
  nodeHooks: optional(list(NodeHook, 'atomic'), 'Hooks that are called on the node, in this order.'),
  validatingAdmissionPolicies: optional(references, 'ValidatingAdmissionPolicies that belong to the plugin.'),
  validatingAdmissionWebhooks: optional(references, 'ValidatingWebhookConfigurations that belong to the plugin.'),
});
export interface PluginSpec extends Infer<typeof PluginSpec> {}

export const PluginStatus = struct(
  'io.kubevirt.plugin.v1alpha1.PluginStatus',
  'Always empty. A plugin has no state.',
  {},
);
export interface PluginStatus extends Infer<typeof PluginStatus> {}

export const PluginSchema = struct('io.kubevirt.plugin.v1alpha1.Plugin', 'Extends how KubeVirt runs guests.', {
  ...objectFields,
  spec: required(PluginSpec, 'Desired state of the Plugin.'),
  status: optional(PluginStatus, 'Always empty. A plugin has no state.'),
});
export interface Plugin extends Infer<typeof PluginSchema> {}

export const Plugin = defineKind<Plugin>({
  group: 'plugin.kubevirt.io',
  version: 'v1alpha1',
  kind: 'Plugin',
  plural: 'plugins',
  namespaced: false,
  schema: PluginSchema,
  status: false,
});
