import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { Lifecycle, Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './securityContext.ts';

export const ContainerPort = struct('io.k8s.api.core.v1.ContainerPort', 'A port that the container listens on.', {
  containerPort: req(3, int32, 'The port number in the pod.'),
  hostIP: opt(5, string, 'Address on the node to bind to.'),
  hostPort: opt(2, int32, 'Port on the node that leads to this one.'),
  name: opt(1, string, 'Name to refer to the port by.'),
  protocol: opt(4, string, { default: 'TCP', doc: 'TCP, UDP or SCTP.' }),
});
export interface ContainerPort extends Infer<typeof ContainerPort> {}

export const VolumeMount = struct('io.k8s.api.core.v1.VolumeMount', 'Puts a volume into a container.', {
  mountPath: req(3, string, 'Path in the container.'),
  mountPropagation: opt(5, string, {
    pointer: true,
    doc: 'Whether mounts pass between host and container: None, HostToContainer or Bidirectional.',
  }),
  name: req(1, string, 'Name of the volume.'),
  readOnly: opt(2, boolean, 'Whether it is mounted read-only.'),
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
  'What happens when a resource of a running container changes.',
  {
    resourceName: req(1, string, 'The resource: cpu or memory.'),
    restartPolicy: req(2, string, 'NotRequired or RestartContainer.'),
  },
);
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicy> {}

export const ContainerRestartRuleOnExitCodes = struct(
  'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes',
  'A set of exit codes.',
  {
    operator: req(1, string, 'In or NotIn.'),
    values: opt(2, list(int32, 'set'), 'The exit codes.'),
  },
);
export interface ContainerRestartRuleOnExitCodes extends Infer<typeof ContainerRestartRuleOnExitCodes> {}

export const ContainerRestartRule = struct(
  'io.k8s.api.core.v1.ContainerRestartRule',
  'Overrules the restart policy for some ways to end.',
  {
    action: req(1, string, 'What to do; Restart.'),
    exitCodes: opt(2, ContainerRestartRuleOnExitCodes, 'Exit codes that the rule is for.'),
  },
);
export interface ContainerRestartRule extends Infer<typeof ContainerRestartRule> {}

export const Container = struct('io.k8s.api.core.v1.Container', 'One container of a pod.', {
  args: opt(4, list(string, 'atomic'), "Arguments to the entry point; the image's when missing."),
  command: opt(3, list(string, 'atomic'), "The entry point; the image's when missing."),
  env: opt(7, list(EnvVar, ['name']), { patch: 'merge', key: 'name', doc: 'Environment variables.' }),
  envFrom: opt(19, list(EnvFromSource, 'atomic'), 'ConfigMaps and Secrets whose keys become variables.'),
  image: opt(2, string, 'The image to run.'),
  imagePullPolicy: opt(14, string, 'Always, Never or IfNotPresent. Always when the tag is latest.'),
  lifecycle: opt(12, Lifecycle, 'What to do after the start and before the stop.'),
  livenessProbe: opt(10, Probe, 'Restarts the container when it fails.'),
  name: req(1, string, 'Unique within the pod. Cannot be changed.'),
  ports: opt(6, list(ContainerPort, ['containerPort', 'protocol']), {
    patch: 'merge',
    key: 'containerPort',
    doc: 'Ports that the container listens on; for information.',
  }),
  readinessProbe: opt(11, Probe, 'Takes the pod out of services while it fails.'),
  resizePolicy: opt(23, list(ContainerResizePolicy, 'atomic'), 'What happens when resources change while it runs.'),
  resources: opt(8, ResourceRequirements, { default: {}, doc: 'What the container needs and may use.' }),
  restartPolicy: opt(24, string, { pointer: true, doc: 'Always makes an init container a sidecar.' }),
  restartPolicyRules: opt(25, list(ContainerRestartRule, 'atomic'), 'Exit codes with a restart policy of their own.'),
  securityContext: opt(15, SecurityContext, 'Security settings of the container.'),
  startupProbe: opt(22, Probe, 'Holds the other probes back until it succeeds.'),
  stdin: opt(16, boolean, 'Whether to keep a standard input open.'),
  stdinOnce: opt(17, boolean, 'Whether the input closes after the first client.'),
  terminationMessagePath: opt(13, string, {
    default: '/dev/termination-log',
    doc: 'File whose content becomes the termination message.',
  }),
  terminationMessagePolicy: opt(20, string, { default: 'File', doc: 'File, or FallbackToLogsOnError.' }),
  tty: opt(18, boolean, 'Whether to give it a terminal; needs stdin.'),
  volumeDevices: opt(21, list(VolumeDevice, ['devicePath']), {
    patch: 'merge',
    key: 'devicePath',
    doc: 'Block devices for the container.',
  }),
  volumeMounts: opt(9, list(VolumeMount, ['mountPath']), {
    patch: 'merge',
    key: 'mountPath',
    doc: 'Volumes for the container.',
  }),
  workingDir: opt(5, string, "Working directory; the image's when missing."),
});
export interface Container extends Infer<typeof Container> {}
