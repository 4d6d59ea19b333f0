import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { ContainerPort, ContainerResizePolicy, ContainerRestartRule, VolumeDevice, VolumeMount } from './container.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { Lifecycle, Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './securityContext.ts';

export const EphemeralContainer = struct('io.k8s.api.core.v1.EphemeralContainer', '', {
  args: opt([1, 4], list(string, 'atomic')),
  command: opt([1, 3], list(string, 'atomic')),
  env: opt([1, 7], list(EnvVar, ['name']), { patch: 'merge', key: 'name' }),
  envFrom: opt([1, 19], list(EnvFromSource, 'atomic')),
  image: opt([1, 2], string),
  imagePullPolicy: opt([1, 14], string),
  lifecycle: opt([1, 12], Lifecycle),
  livenessProbe: opt([1, 10], Probe),
  name: req([1, 1], string),
  ports: opt([1, 6], list(ContainerPort, ['containerPort', 'protocol']), { patch: 'merge', key: 'containerPort' }),
  readinessProbe: opt([1, 11], Probe),
  resizePolicy: opt([1, 23], list(ContainerResizePolicy, 'atomic')),
  resources: opt([1, 8], ResourceRequirements, { default: {} }),
  restartPolicy: opt([1, 24], string),
  restartPolicyRules: opt([1, 25], list(ContainerRestartRule, 'atomic')),
  securityContext: opt([1, 15], SecurityContext),
  startupProbe: opt([1, 22], Probe),
  stdin: opt([1, 16], boolean),
  stdinOnce: opt([1, 17], boolean),
  targetContainerName: opt(2, string),
  terminationMessagePath: opt([1, 13], string, { default: '/dev/termination-log' }),
  terminationMessagePolicy: opt([1, 20], string, { default: 'File' }),
  tty: opt([1, 18], boolean),
  volumeDevices: opt([1, 21], list(VolumeDevice, ['devicePath']), { patch: 'merge', key: 'devicePath' }),
  volumeMounts: opt([1, 9], list(VolumeMount, ['mountPath']), { patch: 'merge', key: 'mountPath' }),
  workingDir: opt([1, 5], string),
});
export interface EphemeralContainer extends Infer<typeof EphemeralContainer> {}
