/**
 * Which zero values on the wire mean that nothing was set.
 *
 * Go writes a field that is no pointer always, also when nobody set it; one that is a pointer only when somebody did.
 * The wire does not tell which is which, JSON does: it leaves the former out. Losing a set zero would change the
 * meaning (`replicas: 0`, `gracePeriodSeconds: 0`, `runAsUser: 0`, `automountServiceAccountToken: false`), so numbers
 * and booleans are kept unless they are known to be no pointers. Strings are the other way round: hardly any is a
 * pointer for which the empty text says something. Required fields are always kept, as Go's JSON writes them, too.
 */
import type { Property } from '@vireo/api';

const PLAIN_FIELDS = new Set([
  // numbers
  'active',
  'availableReplicas',
  'count',
  'currentReplicas',
  'failed',
  'failureThreshold',
  'fullyLabeledReplicas',
  'generation',
  'healthCheckNodePort',
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  'nodePort',
  'numberAvailable',
  'numberUnavailable',
  'observedGeneration',
  'periodSeconds',
  'priority',
  'readyReplicas',
  'signal',
  'succeeded',
  'successThreshold',
  'timeoutSeconds',
  'unavailableReplicas',
  'updatedNumberScheduled',
  'updatedReplicas',
  // booleans
  'authenticated',
  'denied',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'globalDefault',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'insecureSkipTLSVerify',
  'nullable',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
  'uniqueItems',
  'unschedulable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  // int or string
  'targetPort',
]);

/** Pointers that share their name with a plain field elsewhere; a zero in them is kept. */
const POINTERS = new Set(['io.k8s.api.core.v1.PodSpec.priority']);

/** `""` is not the same as nothing: no class at all, instead of the default one. */
const TEXTS_THAT_MAY_BE_EMPTY = new Set(['storageClassName', 'volumeAttributesClassName']);

/** Whether a decoded value is a zero that nobody set. */
export function isUnset(value: unknown, key: string, property: Property, structName = ''): boolean {
  if (value === undefined) return true;
  if (property.required) return false;
  if (value === '' && property.schema.type === 'string') return !TEXTS_THAT_MAY_BE_EMPTY.has(key);
  if (property.schema.protoMessage === 'raw') return false;
  if (value === 0 || value === false) return PLAIN_FIELDS.has(key) && !POINTERS.has(`${structName}.${key}`);
  return false;
}
