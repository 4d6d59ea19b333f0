import { type DeviceClass, type FieldError, field, type ResourceSlice, type ResourceSliceSpec } from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, greaterThanZero, oneOf, present, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { atMost, validateOpaque, validateSelectors } from './deviceRequests.ts';

const MAX_CONFIGS = 32;
const MAX_DEVICES = 128;

export const deviceClassStrategy = defineStrategy<DeviceClass>({
  validate: ({ spec }) => [
    ...validateSelectors(spec?.selectors, 'spec.selectors'),
    ...atMost(spec?.config, 'spec.config', MAX_CONFIGS, ({ opaque }, path) => validateOpaque(opaque, path)),
  ],
});

const PLACES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

export const resourceSliceStrategy = defineStrategy<ResourceSlice>({
  validate: ({ spec }) => (spec ? validateSlice(spec) : [field.required('spec')]),
  validateUpdate: ({ spec }, { spec: old }) => [
    ...immutable('spec.driver', spec?.driver, old?.driver),
    ...immutable('spec.pool.name', spec?.pool?.name, old?.pool?.name),
    ...immutable('spec.nodeName', spec?.nodeName, old?.nodeName),
  ],
});

function validateSlice(spec: ResourceSliceSpec): FieldError[] {
  const places = present(spec, PLACES);
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  return [
    ...requiredText('spec.driver', spec.driver, dnsSubdomain),
    ...requiredText('spec.pool.name', spec.pool?.name),
    ...greaterThanZero('spec.pool.resourceSliceCount', spec.pool?.resourceSliceCount ?? 0),
    ...(places.length === 0 ? [field.required('spec', one)] : []),
    ...(places.length > 1
      ? [
          field.invalid(
            'spec',
            `{${places.map((name) => `\`${name}\``).join(', ')}}`,
            `${one}, but multiple fields are set`,
          ),
        ]
      : []),
    ...atMost(spec.devices, 'spec.devices', MAX_DEVICES, ({ name, attributes, taints }, path) => [
      ...requiredText(`${path}.name`, name, dnsLabel),
      ...Object.entries(attributes ?? {}).flatMap(([key, attribute]) => {
        const set = present(attribute, ['int', 'bool', 'string', 'version']);
        return set.length === 1
          ? []
          : [field.required(`${path}.attributes[${key}]`, 'exactly one value must be specified')];
      }),
      ...(taints ?? []).flatMap((taint, index) =>
        oneOf(`${path}.taints[${index}].effect`, taint.effect, ['NoExecute', 'NoSchedule', 'None'], 'required'),
      ),
    ]),
    ...duplicates(
      spec.devices,
      ({ name }) => name,
      (index) => `spec.devices[${index}].name`,
    ),
  ];
}
