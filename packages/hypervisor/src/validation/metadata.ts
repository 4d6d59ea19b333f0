import type { FieldError } from '@vireo/api';
import type { ObjectMeta } from '@vireo/api/meta.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { gateClosedText, when } from './rule.ts';

/** Labels by which the system finds its way; users may not set them. */
export const RESERVED_LABELS: readonly string[] = [
  'created-by',
  'migrationJobUID',
  'nodeName',
  'migrationTargetNodeName',
  'schedulable',
  'install-strategy',
].map((name) => `kubevirt.io/${name}`);

const IGNITION = 'kubevirt.io/ignitiondata';
const SIDECARS = 'hooks.kubevirt.io/hookSidecars';

export function metadata(meta: ObjectMeta | undefined, config: ClusterConfig, isSystem: boolean): FieldError[] {
  const { labels = {}, annotations = {} } = meta ?? {};
  return [
    ...when(
      !isSystem && RESERVED_LABELS.some((label) => Object.hasOwn(labels, label)),
      'metadata.labels',
      'creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited',
      'FieldValueNotSupported',
    ),
    ...when(
      annotations[IGNITION] && !config.gates.has('ExperimentalIgnitionSupport'),
      'metadata.annotations',
      gateClosedText('ExperimentalIgnitionSupport', `metadata.annotations.${IGNITION}`),
    ),
    ...when(
      annotations[SIDECARS] && !config.gates.has('Sidecar'),
      'metadata.annotations',
      gateClosedText('sidecar', `metadata.annotations.${SIDECARS}`),
    ),
  ];
}
