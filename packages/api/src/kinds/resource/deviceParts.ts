import { boolean, type Infer, int64, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { RawExtension } from '../meta/rawExtension.ts';

export const CELDeviceSelector = struct(
  'io.k8s.api.resource.v1.CELDeviceSelector',
  'Selects devices by an expression.',
  {
    expression: req(1, string, 'CEL expression that is true for devices that fit.'),
  },
);
export interface CELDeviceSelector extends Infer<typeof CELDeviceSelector> {}

export const DeviceSelector = struct('io.k8s.api.resource.v1.DeviceSelector', 'Selects devices that a claim may get.', {
  cel: opt(1, CELDeviceSelector, 'Selects devices by an expression.'),
});
export interface DeviceSelector extends Infer<typeof DeviceSelector> {}

export const OpaqueDeviceConfiguration = struct(
  'io.k8s.api.resource.v1.OpaqueDeviceConfiguration',
  'Settings for a driver, in its own format.',
  {
    driver: req(1, string, 'Name of the driver.'),
    parameters: req(2, RawExtension, 'Settings in the format of the driver.'),
  },
);
export interface OpaqueDeviceConfiguration extends Infer<typeof OpaqueDeviceConfiguration> {}

export const DeviceToleration = struct(
  'io.k8s.api.resource.v1.DeviceToleration',
  'A taint of devices that is tolerated.',
  {
    effect: opt(4, string, 'Effect of the taint: NoSchedule or NoExecute. All if empty.'),
    key: opt(1, string, 'Key of the taint. All keys if empty.'),
    operator: opt(2, string, {
      default: 'Equal',
      doc: 'How the value is compared: Exists or Equal. Defaults to Equal.',
    }),
    tolerationSeconds: opt(5, int64, { pointer: true, doc: 'How many seconds the taint is tolerated.' }),
    value: opt(3, string, 'Value of the taint.'),
  },
);
export interface DeviceToleration extends Infer<typeof DeviceToleration> {}

export const CapacityRequirements = struct(
  'io.k8s.api.resource.v1.CapacityRequirements',
  'What a device must have to offer.',
  { requests: opt(1, map(quantity), 'Amounts by the names of capacities.') },
);
export interface CapacityRequirements extends Infer<typeof CapacityRequirements> {}

export const DeviceTaint = struct('io.k8s.api.resource.v1.DeviceTaint', 'Keeps claims away that do not tolerate it.', {
  effect: req(3, string, 'What happens to claims that do not tolerate it: None, NoSchedule or NoExecute.'),
  key: req(1, string, 'Key of the taint.'),
  timeAdded: opt(4, time, 'Time at which the taint was added.'),
  value: opt(2, string, 'Value of the taint.'),
});
export interface DeviceTaint extends Infer<typeof DeviceTaint> {}

export const DeviceAttribute = struct(
  'io.k8s.api.resource.v1.DeviceAttribute',
  'A property of a device: one of the fields.',
  {
    bool: opt(3, boolean, { pointer: true, doc: 'A truth value.' }),
    int: opt(2, int64, { pointer: true, doc: 'A whole number.' }),
    string: opt(4, string, { pointer: true, doc: 'A text of up to 64 characters.' }),
    version: opt(5, string, { pointer: true, doc: 'A semantic version.' }),
  },
);
export interface DeviceAttribute extends Infer<typeof DeviceAttribute> {}

export const CapacityRequestPolicyRange = struct(
  'io.k8s.api.resource.v1.CapacityRequestPolicyRange',
  'Amounts that can be requested.',
  {
    max: opt(2, quantity, 'The largest amount.'),
    min: req(1, quantity, 'The smallest amount.'),
    step: opt(3, quantity, 'Step between amounts.'),
  },
);
export interface CapacityRequestPolicyRange extends Infer<typeof CapacityRequestPolicyRange> {}

export const CapacityRequestPolicy = struct(
  'io.k8s.api.resource.v1.CapacityRequestPolicy',
  'How much of a capacity requests take.',
  {
    default: opt(1, quantity, 'Amount for requests that do not say.'),
    validRange: opt(4, CapacityRequestPolicyRange, 'Amounts that can be requested, as a range.'),
    validValues: opt(3, list(quantity, 'atomic'), 'Amounts that can be requested.'),
  },
);
export interface CapacityRequestPolicy extends Infer<typeof CapacityRequestPolicy> {}

export const DeviceCapacity = struct('io.k8s.api.resource.v1.DeviceCapacity', 'How much a device has of something.', {
  requestPolicy: opt(2, CapacityRequestPolicy, 'How much of it requests take, for devices that are shared.'),
  value: req(1, quantity, 'How much there is.'),
});
export interface DeviceCapacity extends Infer<typeof DeviceCapacity> {}

export const Counter = struct('io.k8s.api.resource.v1.Counter', 'An amount that devices share.', {
  value: req(1, quantity, 'How much there is.'),
});
export interface Counter extends Infer<typeof Counter> {}

export const CounterSet = struct('io.k8s.api.resource.v1.CounterSet', 'Amounts that devices share.', {
  counters: req(2, map(Counter), 'Amounts by name.'),
  name: req(1, string, 'Name of the set.'),
});
export interface CounterSet extends Infer<typeof CounterSet> {}

export const DeviceCounterConsumption = struct(
  'io.k8s.api.resource.v1.DeviceCounterConsumption',
  'What a device takes of shared amounts.',
  {
    counters: req(2, map(Counter), 'Amounts by name.'),
    counterSet: req(1, string, 'Name of the set.'),
  },
);
export interface DeviceCounterConsumption extends Infer<typeof DeviceCounterConsumption> {}
