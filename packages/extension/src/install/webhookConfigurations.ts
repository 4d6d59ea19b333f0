import type { Kind } from '@vireo/api';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { AdmissionRule } from '../admission/rule.ts';
import type { Reached } from './apiServices.ts';

const TIMEOUT_SECONDS = 10;
/** What goes on without an answer does not wait long for one. */
const IGNORED_TIMEOUT_SECONDS = 2;

const LABELS = { 'kubevirt.io': 'virt-api' };

/** The objects that make a server ask the rules, under the names that KubeVirt gives them. */
export const webhookConfigurations = (rules: readonly AdmissionRule[], reached: Reached = {}) => [
  configuration('MutatingWebhookConfiguration', 'virt-api-mutator', rules.filter(isEarly), reached),
  configuration(
    'ValidatingWebhookConfiguration',
    'virt-api-validator',
    rules.filter((rule) => !isEarly(rule)),
    reached,
  ),
];

/** Servers ask mutating webhooks before they check an object's schema, and validating ones after. */
const isEarly = (rule: AdmissionRule): boolean => rule.type === 'mutating' || rule.isEarly === true;

const configuration = (kind: string, name: string, rules: readonly AdmissionRule[], { caBundle, port }: Reached) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name, labels: LABELS },
  webhooks: rules.map(
    ({ webhook, path, kinds, operations, failurePolicy = 'Fail', sideEffects = 'None', ...rest }) => ({
      name: webhook,
      clientConfig: {
        service: { namespace: KUBEVIRT_NAMESPACE, name: VIRT_API_SERVICE, path, ...(port !== undefined && { port }) },
        ...(caBundle && { caBundle }),
      },
      rules: byGroup(kinds).map(([group, members]) => ({
        operations: [...operations],
        apiGroups: [group],
        apiVersions: [...new Set(members.flatMap(versionsOf))],
        resources: [...new Set(members.flatMap(({ plural }) => resourcesOf(plural, rest)))],
        scope: '*',
      })),
      ...(rest.matchConditions && { matchConditions: [...rest.matchConditions] }),
      failurePolicy,
      sideEffects,
      timeoutSeconds: failurePolicy === 'Ignore' ? IGNORED_TIMEOUT_SECONDS : TIMEOUT_SECONDS,
      admissionReviewVersions: ['v1'],
    }),
  ),
});

const resourcesOf = (plural: string, { withStatus, subresource }: Partial<AdmissionRule>): string[] => {
  if (subresource) return [`${plural}/${subresource.name}`];
  return withStatus ? [plural, `${plural}/status`] : [plural];
};

/** A kind is served in several versions, and a rule is about all of them. */
const versionsOf = ({ group, kind, version }: Kind): string[] => [
  version,
  ...kubevirtKinds.filter((each) => each.group === group && each.kind === kind).map((each) => each.version),
];

const byGroup = (kinds: readonly Kind[]): [string, Kind[]][] => [...Map.groupBy(kinds, ({ group }) => group).entries()];
