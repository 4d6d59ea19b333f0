import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { ContainerPort, ContainerResizePolicy, ContainerRestartRule, VolumeDevice, VolumeMount } from './container.ts';
import { EnvFromSource, EnvVar } from './env.ts';
import { Lifecycle, Probe } from './probe.ts';
import { ResourceRequirements } from './resources.ts';
import { SecurityContext } from './securityContext.ts';

export const EphemeralContainer = struct(
  'io.k8s.api.core.v1.EphemeralContainer',
  'A container that is added to a running pod, for debugging.',
  {
    args: opt([1, 4], list(string, 'atomic'), 'Arguments of the entry point. Defaults to those of the image.'),
    command: opt([1, 3], list(string, 'atomic'), 'Entry point of the container. Defaults to that of the image.'),
    env: opt([1, 7], list(EnvVar, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Environment variables of the container.',
    }),
    envFrom: opt([1, 19], list(EnvFromSource, 'atomic'), 'ConfigMaps and Secrets whose keys become variables.'),
    image: opt([1, 2], string, 'Reference of the container image.'),
    imagePullPolicy: opt([1, 14], string, 'Always, Never or IfNotPresent. Always when the tag is latest.'),
    lifecycle: opt([1, 12], Lifecycle, 'Not allowed in an ephemeral container.'),
    livenessProbe: opt([1, 10], Probe, 'Not allowed in an ephemeral container.'),
    name: req([1, 1], string, 'Unique among all containers of the pod.'),
    ports: opt([1, 6], list(ContainerPort, ['containerPort', 'protocol']), {
      patch: 'merge',
      key: 'containerPort',
      doc: 'Not allowed in an ephemeral container.',
    }),
    readinessProbe: opt([1, 11], Probe, 'Not allowed in an ephemeral container.'),
    resizePolicy: opt([1, 23], list(ContainerResizePolicy, 'atomic'), 'Not allowed in an ephemeral container.'),
    resources: opt([1, 8], ResourceRequirements, { default: {}, doc: 'Not allowed here; it shares what the pod has.' }),
    restartPolicy: opt([1, 24], string, { pointer: true, doc: 'Not allowed in an ephemeral container.' }),
    restartPolicyRules: opt([1, 25], list(ContainerRestartRule, 'atomic'), 'Not allowed in an ephemeral container.'),
    securityContext: opt(
      [1, 15],
      SecurityContext,
      'Security settings of the container. They override those of the pod.',
    ),
    startupProbe: opt([1, 22], Probe, 'Not allowed in an ephemeral container.'),
    stdin: opt([1, 16], boolean, 'Whether to keep a standard input open.'),
    stdinOnce: opt([1, 17], boolean, 'Whether the input closes after the first client.'),
    targetContainerName: opt(2, string, 'The container whose process namespace it joins.'),
    terminationMessagePath: opt([1, 13], string, {
      default: '/dev/termination-log',
      doc: 'File whose content becomes the termination message.',
    }),
    terminationMessagePolicy: opt([1, 20], string, {
      default: 'File',
      doc: 'Where the termination message comes from: File or FallbackToLogsOnError. Defaults to File.',
    }),
    tty: opt([1, 18], boolean, 'Whether to give it a terminal; needs stdin.'),
    volumeDevices: opt([1, 21], list(VolumeDevice, ['devicePath']), {
      patch: 'merge',
      key: 'devicePath',
      doc: 'Block devices that the container can access.',
    }),
    volumeMounts: opt([1, 9], list(VolumeMount, ['mountPath']), {
      patch: 'merge',
      key: 'mountPath',
      doc: 'Volumes for the container; subPath is not allowed.',
    }),
    workingDir: opt([1, 5], string, 'Working directory of the container. Defaults to that of the image.'),
  },
);
export interface EphemeralContainer extends Infer<typeof EphemeralContainer> {}
