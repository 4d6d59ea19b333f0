import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { Lifecycle, Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './securityContext.ts';

export const ContainerPort = struct('io.k8s.api.core.v1.ContainerPort', 'A port that the container listens on.', {
  containerPort: req(3, int32, 'The port number in the pod.'),
  hostIP: opt(5, string, 'Address on the node to bind to.'),
  hostPort: opt(2, int32, 'Port on the node that is forwarded to this one.'),
  name: opt(1, string, 'Name to refer to the port by.'),
  protocol: opt(4, string, { default: 'TCP', doc: 'Protocol of the port: TCP, UDP or SCTP. Defaults to TCP.' }),
});
export interface ContainerPort extends Infer<typeof ContainerPort> {}

export const VolumeMount = struct('io.k8s.api.core.v1.VolumeMount', 'Mounts a volume into a container.', {
  mountPath: req(3, string, 'Path in the container at which the volume is mounted.'),
  mountPropagation: opt(5, string, {
    pointer: true,
    doc: 'Whether mounts pass between host and container: None, HostToContainer or Bidirectional.',
  }),
  name: req(1, string, 'Name of the volume in spec.volumes.'),
  readOnly: opt(2, boolean, 'Whether the volume is mounted read-only.'),
  recursiveReadOnly: opt(7, string, {
    pointer: true,
    doc: 'Whether mounts below are read-only too: Disabled, IfPossible or Enabled.',
  }),
  subPath: opt(4, string, 'Path within the volume to mount.'),
  subPathExpr: opt(6, string, 'The same, with $(NAME) replaced from the environment.'),
});
export interface VolumeMount extends Infer<typeof VolumeMount> {}

export const VolumeDevice = struct('io.k8s.api.core.v1.VolumeDevice', 'Gives a container a raw block device.', {
  devicePath: req(2, string, 'Path of the device in the container.'),
  name: req(1, string, "Name of the claim's volume in the pod."),
});
export interface VolumeDevice extends Infer<typeof VolumeDevice> {}

export const ContainerResizePolicy = struct(
  'io.k8s.api.core.v1.ContainerResizePolicy',
  'What happens to the container when a resource changes while it runs.',
  {
    resourceName: req(1, string, 'Name of the resource: cpu or memory.'),
    restartPolicy: req(2, string, 'Whether the container restarts: NotRequired or RestartContainer.'),
  },
);
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicy> {}

export const ContainerRestartRuleOnExitCodes = struct(
  'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes',
  'Matches exit codes of a container.',
  {
    operator: req(1, string, 'How exit codes are compared: In or NotIn.'),
    values: opt(2, list(int32, 'set'), 'Exit codes to compare with.'),
  },
);
export interface ContainerRestartRuleOnExitCodes extends Infer<typeof ContainerRestartRuleOnExitCodes> {}

export const ContainerRestartRule = struct(
  'io.k8s.api.core.v1.ContainerRestartRule',
  'Overrides the restart policy for some exit codes.',
  {
    action: req(1, string, 'Action to take if the rule matches. Only Restart is supported.'),
    exitCodes: opt(2, ContainerRestartRuleOnExitCodes, 'Exit codes that the rule is for.'),
  },
);
export interface ContainerRestartRule extends Infer<typeof ContainerRestartRule> {}

export const Container = struct('io.k8s.api.core.v1.Container', 'A container of a pod.', {
  args: opt(4, list(string, 'atomic'), 'Arguments of the entry point. Defaults to those of the image.'),
  command: opt(3, list(string, 'atomic'), 'Entry point of the container. Defaults to that of the image.'),
  env: opt(7, list(EnvVar, ['name']), { patch: 'merge', key: 'name', doc: 'Environment variables of the container.' }),
  envFrom: opt(19, list(EnvFromSource, 'atomic'), 'ConfigMaps and Secrets whose keys become variables.'),
  image: opt(2, string, 'Reference of the container image.'),
  imagePullPolicy: opt(14, string, 'Always, Never or IfNotPresent. Always when the tag is latest.'),
  lifecycle: opt(12, Lifecycle, 'What to do after the start and before the stop.'),
  livenessProbe: opt(10, Probe, 'Health check. When it fails, the container is restarted.'),
  name: req(1, string, 'Unique within the pod. Cannot be changed.'),
  ports: opt(6, list(ContainerPort, ['containerPort', 'protocol']), {
    patch: 'merge',
    key: 'containerPort',
    doc: 'Ports that the container listens on; for information.',
  }),
  readinessProbe: opt(11, Probe, 'Readiness check. While it fails, the pod receives no traffic from services.'),
  resizePolicy: opt(
    23,
    list(ContainerResizePolicy, 'atomic'),
    'What happens to the container when resources change while it runs.',
  ),
  resources: opt(8, ResourceRequirements, { default: {}, doc: 'What the container needs and may use.' }),
  restartPolicy: opt(24, string, {
    pointer: true,
    doc: 'Restart policy of an init container. Always makes it a sidecar.',
  }),
  restartPolicyRules: opt(25, list(ContainerRestartRule, 'atomic'), 'Exit codes with a restart policy of their own.'),
  securityContext: opt(15, SecurityContext, 'Security settings of the container. They override those of the pod.'),
  startupProbe: opt(22, Probe, 'Startup check. The other probes begin once it succeeds.'),
  stdin: opt(16, boolean, 'Whether to keep a standard input open.'),
  stdinOnce: opt(17, boolean, 'Whether the input closes after the first client.'),
  terminationMessagePath: opt(13, string, {
    default: '/dev/termination-log',
    doc: 'File whose content becomes the termination message.',
  }),
  terminationMessagePolicy: opt(20, string, {
    default: 'File',
    doc: 'Where the termination message comes from: File or FallbackToLogsOnError. Defaults to File.',
  }),
  tty: opt(18, boolean, 'Whether to allocate a terminal. Needs stdin.'),
  volumeDevices: opt(21, list(VolumeDevice, ['devicePath']), {
    patch: 'merge',
    key: 'devicePath',
    doc: 'Block devices that the container can access.',
  }),
  volumeMounts: opt(9, list(VolumeMount, ['mountPath']), {
    patch: 'merge',
    key: 'mountPath',
    doc: 'Volumes to mount into the container.',
  }),
  workingDir: opt(5, string, 'Working directory of the container. Defaults to that of the image.'),
});
export interface Container extends Infer<typeof Container> {}
