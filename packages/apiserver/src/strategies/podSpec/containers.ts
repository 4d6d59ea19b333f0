import { type Container, type ContainerPort, type FieldError, field, type PodSpec, type VolumeMount } from '@vireo/api';
import { dnsLabel } from '@vireo/api/names.ts';
import { duplicates, each, inRange, oneOf, optionalText, requiredText } from '../fields.ts';
import { portNameErrors } from '../names.ts';
import { validateEnv, validateEnvFrom } from './environment.ts';
import { validateLifecycle, validateProbe } from './probes.ts';
import { validateResources } from './resources.ts';
import { localPath } from './volumes.ts';

const MAX_ID = 2147483647;

/** Containers, init containers and ephemeral containers share one space of names. */
export function validateAllContainers(spec: PodSpec, path: string): FieldError[] {
  const containers = spec.containers ?? [];
  const initContainers = spec.initContainers ?? [];
  const check = (container: Container, at: string) => validateContainer(container, spec, at);
  const named = [
    ...containers.map((container, index) => ({ name: container.name, path: `${path}.containers[${index}].name` })),
    ...initContainers.map((container, index) => ({
      name: container.name,
      path: `${path}.initContainers[${index}].name`,
    })),
    ...(spec.ephemeralContainers ?? []).map((container, index) => ({
      name: container.name,
      path: `${path}.ephemeralContainers[${index}].name`,
    })),
  ];
  return [
    ...(containers.length === 0 ? [field.required(`${path}.containers`)] : []),
    ...each(containers, `${path}.containers`, (container, at) => [
      ...check(container, at),
      ...(container.restartPolicy
        ? [field.forbidden(`${at}.restartPolicy`, 'may not be set for non-init containers')]
        : []),
    ]),
    ...each(initContainers, `${path}.initContainers`, (container, at) => [
      ...check(container, at),
      ...validateInitContainer(container, at),
    ]),
    ...each(spec.ephemeralContainers, `${path}.ephemeralContainers`, (container, at) => [
      ...requiredText(`${at}.name`, container.name, dnsLabel),
      ...requiredText(`${at}.image`, container.image),
      ...(container.targetContainerName &&
      ![...containers, ...initContainers].some(({ name }) => name === container.targetContainerName)
        ? [field.notFound(`${at}.targetContainerName`, container.targetContainerName)]
        : []),
    ]),
    ...duplicates(
      named,
      ({ name }) => name,
      (index) => named[index]?.path ?? path,
    ),
    ...hostPortConflicts(containers, `${path}.containers`),
  ];
}

function validateContainer(container: Container, spec: PodSpec, path: string): FieldError[] {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return [
    ...requiredText(`${path}.name`, container.name, dnsLabel),
    ...validateImage(container.image, `${path}.image`),
    ...oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...oneOf(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy, ['FallbackToLogsOnError', 'File']),
    ...validatePorts(container.ports, `${path}.ports`, spec.hostNetwork === true),
    ...validateEnv(container.env, `${path}.env`),
    ...validateEnvFrom(container.envFrom, `${path}.envFrom`),
    ...validateMounts(container, spec, path),
    ...validateResources(container.resources, `${path}.resources`, claims),
    ...validateProbe(container.livenessProbe, `${path}.livenessProbe`, true),
    ...validateProbe(container.readinessProbe, `${path}.readinessProbe`, false),
    ...validateProbe(container.startupProbe, `${path}.startupProbe`, true),
    ...validateLifecycle(container.lifecycle, `${path}.lifecycle`, spec.terminationGracePeriodSeconds),
    ...validateSecurityContext(container, `${path}.securityContext`),
  ];
}

function validateImage(image: string | undefined, path: string): FieldError[] {
  if (!image) return [field.required(path)];
  return image.trim() === image ? [] : [field.invalid(path, image, 'must not have leading or trailing whitespace')];
}

/** Only a sidecar (`restartPolicy: Always`) lives long enough to be probed. */
function validateInitContainer(container: Container, path: string): FieldError[] {
  if (container.restartPolicy === 'Always') return [];
  const pointless = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
  return [
    ...oneOf(`${path}.restartPolicy`, container.restartPolicy, ['Always']),
    ...pointless
      .filter((name) => container[name])
      .map((name) =>
        field.forbidden(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
      ),
  ];
}

const validatePorts = (
  ports: readonly ContainerPort[] | undefined,
  path: string,
  hostNetwork: boolean,
): FieldError[] => [
  ...each(ports, path, (port, at) => [
    ...optionalText(`${at}.name`, port.name, portNameErrors),
    ...(port.containerPort
      ? inRange(`${at}.containerPort`, port.containerPort, 1, 65535)
      : [field.required(`${at}.containerPort`)]),
    ...(port.hostPort ? inRange(`${at}.hostPort`, port.hostPort, 1, 65535) : []),
    ...oneOf(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']),
    ...(hostNetwork && port.hostPort && port.containerPort && port.hostPort !== port.containerPort
      ? [field.invalid(`${at}.containerPort`, port.containerPort, 'must match `hostPort` when `hostNetwork` is true')]
      : []),
  ]),
  ...duplicates(
    ports,
    (port) => port.name,
    (index) => `${path}[${index}].name`,
  ),
];

function hostPortConflicts(containers: readonly Container[], path: string): FieldError[] {
  const ports = containers.flatMap((container, index) =>
    (container.ports ?? []).map((port, portIndex) => ({
      port,
      path: `${path}[${index}].ports[${portIndex}].hostPort`,
    })),
  );
  return duplicates(
    ports,
    ({ port }) => (port.hostPort ? `${port.protocol ?? 'TCP'}/${port.hostIP ?? ''}/${port.hostPort}` : undefined),
    (index) => ports[index]?.path ?? path,
  );
}

function validateMounts(container: Container, spec: PodSpec, path: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const devicePaths = new Set((container.volumeDevices ?? []).map(({ devicePath }) => devicePath));
  const mountPaths = new Set<string>();
  const mounts = each(container.volumeMounts, `${path}.volumeMounts`, (mount, at) => {
    const repeated = mountPaths.has(mount.mountPath);
    if (mount.mountPath) mountPaths.add(mount.mountPath);
    return [
      ...requiredText(`${at}.name`, mount.name),
      ...(mount.name && !volumes.has(mount.name) ? [field.notFound(`${at}.name`, mount.name)] : []),
      ...requiredText(`${at}.mountPath`, mount.mountPath),
      ...(repeated ? [field.invalid(`${at}.mountPath`, mount.mountPath, 'must be unique')] : []),
      ...(mount.mountPath && devicePaths.has(mount.mountPath)
        ? [field.invalid(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      ...validateSubPath(mount, at),
      ...validatePropagation(mount, container, at),
    ];
  });
  const devices = each(container.volumeDevices, `${path}.volumeDevices`, (device, at) => {
    const volume = device.name ? volumes.get(device.name) : undefined;
    return [
      ...requiredText(`${at}.name`, device.name),
      ...(device.name && !volume ? [field.notFound(`${at}.name`, device.name)] : []),
      ...(volume && !volume.persistentVolumeClaim && !volume.ephemeral
        ? [
            field.invalid(
              `${at}.name`,
              device.name,
              'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
            ),
          ]
        : []),
      ...requiredText(`${at}.devicePath`, device.devicePath),
      ...(device.devicePath?.split('/').includes('..')
        ? [field.invalid(`${at}.devicePath`, device.devicePath, "can not contain backsteps ('..')")]
        : []),
    ];
  });
  return [...mounts, ...devices];
}

const validateSubPath = (mount: VolumeMount, path: string): FieldError[] => [
  ...(mount.subPath ? localPath(mount.subPath, `${path}.subPath`) : []),
  ...(mount.subPathExpr && mount.subPath
    ? [field.invalid(`${path}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
    : []),
  ...(mount.subPathExpr ? localPath(mount.subPathExpr, `${path}.subPathExpr`) : []),
];

const validatePropagation = (mount: VolumeMount, container: Container, path: string): FieldError[] => [
  ...oneOf(`${path}.mountPropagation`, mount.mountPropagation, ['Bidirectional', 'HostToContainer', 'None']),
  ...(mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true
    ? [
        field.forbidden(
          `${path}.mountPropagation`,
          'Bidirectional mount propagation is available only to privileged containers',
        ),
      ]
    : []),
];

function validateSecurityContext(container: Container, path: string): FieldError[] {
  const context = container.securityContext;
  if (!context) return [];
  return [
    ...validateIds(context, path),
    ...oneOf(`${path}.procMount`, context.procMount, ['Default', 'Unmasked']),
    ...(context.allowPrivilegeEscalation === false && context.privileged
      ? [field.invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true')]
      : []),
    ...(context.allowPrivilegeEscalation === false &&
    (context.capabilities?.add ?? []).some((name) => name === 'CAP_SYS_ADMIN')
      ? [
          field.invalid(
            path,
            context,
            'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
          ),
        ]
      : []),
  ];
}

/** User and group ids of a pod or a container. */
export const validateIds = (context: { runAsUser?: number; runAsGroup?: number }, path: string): FieldError[] => [
  ...inRange(`${path}.runAsUser`, context.runAsUser, 0, MAX_ID),
  ...inRange(`${path}.runAsGroup`, context.runAsGroup, 0, MAX_ID),
];
