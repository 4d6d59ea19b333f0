import type { Container } from './container.ts';
import type { EphemeralContainer } from './ephemeralContainer.ts';
import type { Pod } from './pod.ts';
import type { PodSpec } from './podSpec.ts';
import type { PodTemplateSpec } from './podTemplate.ts';
import type { ResourceRequirements } from './resources.ts';
import type { Volume } from './volume.ts';

/** What the schema's plain defaults cannot say of a pod. */
export function applyPodDefaults({ spec }: Pod): void {
  if (!spec) return;
  applyPodSpecDefaults(spec);
  // Not in templates: a template keeps only what its author wrote, and its pods get these when they are made.
  spec.enableServiceLinks ??= true;
  for (const { resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) requestLimits(resources);
  requestLimits(spec.resources);
}

/** The same for a template, which gets a little less. */
export function applyTemplateDefaults(template: PodTemplateSpec | undefined): void {
  if (template?.spec) applyPodSpecDefaults(template.spec);
}

function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) applyContainerDefaults(container, spec.hostNetwork ?? false);
  // The two names of one field are kept alike, for clients that know only the old one.
  if (spec.serviceAccountName || spec.serviceAccount) {
    spec.serviceAccountName ||= spec.serviceAccount;
    spec.serviceAccount = spec.serviceAccountName;
  }
}

function applyContainerDefaults(container: Container | EphemeralContainer, isHostNetwork: boolean): void {
  container.imagePullPolicy ??= pullPolicy(container.image ?? '');
  if (isHostNetwork) for (const port of container.ports ?? []) port.hostPort ??= port.containerPort;
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe?.httpGet) probe.httpGet.path ||= '/';
  }
}

/** An image without a tag may change under its name, so it is pulled each time. */
function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Whoever names a limit and no request means the limit. */
function requestLimits(resources: ResourceRequirements | undefined): void {
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}

/** A volume without a source is an empty directory. */
function applyVolumeDefaults(volume: Volume): void {
  const hasSource = Object.entries(volume).some(([field, value]) => field !== 'name' && value !== undefined);
  if (!hasSource) volume.emptyDir = {};
}
