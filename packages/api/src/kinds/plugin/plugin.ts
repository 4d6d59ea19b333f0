import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { duration, optional, required } from '../customResource.ts';

const filled = { ...string, minLength: 1 };
const failureStrategy = optional(oneOf('Fail', 'Ignore'), 'What a failure does: Fail the machine, or Ignore it.');
const condition = optional(string, 'Which machines it is for, as an expression in CEL; all when empty.');

export const CELDomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.CELDomainHook',
  'Changes the domain by an expression.',
  {
    expression: required(filled, 'The expression, in CEL.'),
  },
);
export interface CELDomainHook extends Infer<typeof CELDomainHook> {}

export const SidecarDomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.SidecarDomainHook',
  'Has a sidecar change the domain.',
  {
    socketPath: required(filled, 'Socket that the sidecar listens on.'),
  },
);
export interface SidecarDomainHook extends Infer<typeof SidecarDomainHook> {}

export const DomainHook = struct(
  'io.kubevirt.plugin.v1alpha1.DomainHook',
  'Changes the domain of a machine before it starts. One of cel and sidecar.',
  {
    cel: optional(CELDomainHook, 'Change it by an expression.'),
    condition,
    failureStrategy,
    sidecar: optional(SidecarDomainHook, 'Have a sidecar change it.'),
    timeout: optional(duration, 'How long it may take.'),
  },
);
export interface DomainHook extends Infer<typeof DomainHook> {}

export const NodeHook = struct(
  'io.kubevirt.plugin.v1alpha1.NodeHook',
  'Is told on the node what happens to a machine.',
  {
    condition,
    failureStrategy,
    permittedHooks: required(
      { ...list(string, 'atomic'), minItems: 1 },
      'What it is told: PreVMStart, PostVMStart, PreVMStop, PostVMStop, and Pre and Post of MigrationSource and MigrationTarget.',
    ),
    socket: required(filled, 'Socket that it listens on.'),
    timeout: optional(duration, 'How long it may take.'),
  },
);
export interface NodeHook extends Infer<typeof NodeHook> {}

export const AdmissionReference = struct(
  'io.kubevirt.plugin.v1alpha1.AdmissionReference',
  'Names an object of the admission.',
  {
    name: required(filled, 'Name of the object.'),
  },
);
export interface AdmissionReference extends Infer<typeof AdmissionReference> {}

const references = list(AdmissionReference, 'atomic');

export const PluginSpec = struct('io.kubevirt.plugin.v1alpha1.PluginSpec', 'What a plug-in does.', {
  condition,
  domainHooks: optional(list(DomainHook, 'atomic'), 'Changes to domains, in this order.'),
  failureStrategy,
  mutatingAdmissionPolicies: optional(references, 'Its MutatingAdmissionPolicies.'),
  mutatingAdmissionWebhooks: optional(references, 'Its MutatingWebhookConfigurations.'),
  nodeHooks: optional(list(NodeHook, 'atomic'), 'Who is told on the node, in this order.'),
  validatingAdmissionPolicies: optional(references, 'Its ValidatingAdmissionPolicies.'),
  validatingAdmissionWebhooks: optional(references, 'Its ValidatingWebhookConfigurations.'),
});
export interface PluginSpec extends Infer<typeof PluginSpec> {}

export const PluginStatus = struct('io.kubevirt.plugin.v1alpha1.PluginStatus', 'Always empty.', {});
export interface PluginStatus extends Infer<typeof PluginStatus> {}

export const PluginSchema = struct('io.kubevirt.plugin.v1alpha1.Plugin', 'Adds to what KubeVirt does with machines.', {
  ...objectFields,
  spec: required(PluginSpec, 'What is wanted.'),
  status: optional(PluginStatus, 'Always empty.'),
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
