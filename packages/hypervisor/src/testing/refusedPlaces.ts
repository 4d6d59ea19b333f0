import type { Refusal } from './refusal.ts';

const NODE = 'spec.affinity.nodeAffinity';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const nodes = (expression: { key: string; operator: string; values?: string[] }): Refusal[1] => ({
  affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } } },
});
const expressionAt = `${NODE}.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]`;

/** What VMIs ask of their nodes in ways that no scheduler could follow. */
export const refusedPlaces: Refusal[] = [
  [
    {},
    { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } } },
    `${NODE}.${REQUIRED}.nodeSelectorTerms`,
    /Required value: must have at least one node selector term$/,
  ],
  [{}, nodes({ key: 'zone', operator: 'Near' }), `${expressionAt}.operator`, /not a valid selector operator$/],
  [{}, nodes({ key: 'zone', operator: 'In' }), `${expressionAt}.values`, /must be specified when `operator` is 'In'/],
  [
    {},
    nodes({ key: 'zone', operator: 'Exists', values: ['a'] }),
    `${expressionAt}.values`,
    /may not be specified when `operator` is 'Exists'/,
  ],
  [
    {},
    nodes({ key: 'zone', operator: 'Gt', values: ['1', '2'] }),
    `${expressionAt}.values`,
    /must be specified single value when `operator` is 'Lt' or 'Gt'$/,
  ],
  [{}, nodes({ key: 'no key', operator: 'Exists' }), `${expressionAt}.key`, /Invalid value: "no key"/],
  [
    {},
    {
      affinity: {
        nodeAffinity: {
          [REQUIRED]: { nodeSelectorTerms: [{ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }] },
        },
      },
    },
    `${NODE}.${REQUIRED}.nodeSelectorTerms[0].matchFields[0].key`,
    /not a valid field selector key$/,
  ],
  [
    {},
    { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 0, preference: {} }] } } },
    `${NODE}.${PREFERRED}[0].weight`,
    /must be in the range 1-100$/,
  ],
  [
    {},
    {
      affinity: {
        podAffinity: {
          [REQUIRED]: [
            { topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } },
          ],
        },
      },
    },
    `spec.affinity.podAffinity.${REQUIRED}[0].labelSelector.matchExpressions[0].operator`,
    /not a valid selector operator$/,
  ],
  [
    {},
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'not a label' } },
        },
      ],
    },
    'spec.topologySpreadConstraints[0].labelSelector.matchLabels',
    /Invalid value: "not a label"/,
  ],
];
