import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { FeatureState } from './features.ts';

export const VGPUDisplayOptions = struct('io.kubevirt.v1.VGPUDisplayOptions', 'Display of a virtual GPU.', {
  enabled: optional(boolean, 'Whether the virtual GPU has a display. Defaults to true.'),
  ramFB: optional(
    FeatureState,
    'Framebuffer that shows a picture before the guest has loaded a driver. Defaults to on.',
  ),
});
export interface VGPUDisplayOptions extends Infer<typeof VGPUDisplayOptions> {}

export const VGPUOptions = struct('io.kubevirt.v1.VGPUOptions', 'Options for a virtual GPU.', {
  display: optional(VGPUDisplayOptions, 'Whether the virtual GPU has a display.'),
});
export interface VGPUOptions extends Infer<typeof VGPUOptions> {}

export const GPU = struct('io.kubevirt.v1.GPU', 'A GPU of the node that is assigned to the guest.', {
  claimName: optional(string, 'Name of the claim in spec.resourceClaims that has the card.'),
  deviceName: optional(string, 'Resource that the node offers the card as, such as nvidia.com/TU104GL_Tesla_T4.'),
  name: required(string, 'Name of the device in the spec.'),
  requestName: optional(string, 'Name of the request in the claim.'),
  tag: optional(string, "Tag by which the guest finds the device's address in its config drive."),
  virtualGPUOptions: optional(VGPUOptions, 'Options that apply if the device is a virtual GPU.'),
});
export interface GPU extends Infer<typeof GPU> {}

export const HostDevice = struct('io.kubevirt.v1.HostDevice', 'A device of the node that is assigned to the guest.', {
  claimName: optional(string, 'Name of the claim in spec.resourceClaims that has the device.'),
  deviceName: optional(string, 'Resource that the node offers the device as.'),
  name: required(string, 'Name of the device in the spec.'),
  requestName: optional(string, 'Name of the request in the claim.'),
  tag: optional(string, "Tag by which the guest finds the device's address in its config drive."),
});
export interface HostDevice extends Infer<typeof HostDevice> {}
