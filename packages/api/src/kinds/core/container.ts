import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { Lifecycle, Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './securityContext.ts';

export const ContainerPort = struct('io.k8s.api.core.v1.ContainerPort', '', {
  containerPort: req(3, int32),
  hostIP: opt(5, string),
  hostPort: opt(2, int32),
  name: opt(1, string),
  protocol: opt(4, string, { default: 'TCP' }),
});
export interface ContainerPort extends Infer<typeof ContainerPort> {}

export const VolumeMount = struct('io.k8s.api.core.v1.VolumeMount', '', {
  mountPath: req(3, string),
  mountPropagation: opt(5, string),
  name: req(1, string),
  readOnly: opt(2, boolean),
  recursiveReadOnly: opt(7, string),
  subPath: opt(4, string),
  subPathExpr: opt(6, string),
});
export interface VolumeMount extends Infer<typeof VolumeMount> {}

export const VolumeDevice = struct('io.k8s.api.core.v1.VolumeDevice', '', {
  devicePath: req(2, string),
  name: req(1, string),
});
export interface VolumeDevice extends Infer<typeof VolumeDevice> {}

export const ContainerResizePolicy = struct('io.k8s.api.core.v1.ContainerResizePolicy', '', {
  resourceName: req(1, string),
  restartPolicy: req(2, string),
});
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicy> {}

export const ContainerRestartRuleOnExitCodes = struct('io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes', '', {
  operator: req(1, string),
  values: opt(2, list(int32, 'set')),
});
export interface ContainerRestartRuleOnExitCodes extends Infer<typeof ContainerRestartRuleOnExitCodes> {}

export const ContainerRestartRule = struct('io.k8s.api.core.v1.ContainerRestartRule', '', {
  action: req(1, string),
  exitCodes: opt(2, ContainerRestartRuleOnExitCodes),
});
export interface ContainerRestartRule extends Infer<typeof ContainerRestartRule> {}

export const Container = struct('io.k8s.api.core.v1.Container', '', {
  args: opt(4, list(string, 'atomic')),
  command: opt(3, list(string, 'atomic')),
  env: opt(7, list(EnvVar, ['name']), { patch: 'merge', key: 'name' }),
  envFrom: opt(19, list(EnvFromSource, 'atomic')),
  image: opt(2, string),
  imagePullPolicy: opt(14, string),
  lifecycle: opt(12, Lifecycle),
  livenessProbe: opt(10, Probe),
  name: req(1, string),
  ports: opt(6, list(ContainerPort, ['containerPort', 'protocol']), { patch: 'merge', key: 'containerPort' }),
  readinessProbe: opt(11, Probe),
  resizePolicy: opt(23, list(ContainerResizePolicy, 'atomic')),
  resources: opt(8, ResourceRequirements, { default: {} }),
  restartPolicy: opt(24, string),
  restartPolicyRules: opt(25, list(ContainerRestartRule, 'atomic')),
  securityContext: opt(15, SecurityContext),
  startupProbe: opt(22, Probe),
  stdin: opt(16, boolean),
  stdinOnce: opt(17, boolean),
  terminationMessagePath: opt(13, string, { default: '/dev/termination-log' }),
  terminationMessagePolicy: opt(20, string, { default: 'File' }),
  tty: opt(18, boolean),
  volumeDevices: opt(21, list(VolumeDevice, ['devicePath']), { patch: 'merge', key: 'devicePath' }),
  volumeMounts: opt(9, list(VolumeMount, ['mountPath']), { patch: 'merge', key: 'mountPath' }),
  workingDir: opt(5, string),
});
export interface Container extends Infer<typeof Container> {}
