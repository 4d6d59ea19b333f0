import { type FieldError, field, type PodSpec } from '@vireo/api';
import { dnsLabel, dnsSubdomain, qualifiedNameErrors } from '@vireo/api/names.ts';
import { duplicates, each, inRange, invalidFor, nonNegative, oneOf, optionalText, requiredText } from '../fields.ts';
import { ipErrors } from '../names.ts';
import { validateAllContainers, validateIds } from './containers.ts';
import { validateAmount } from './resources.ts';
import { validateScheduling } from './scheduling.ts';
import { validateVolumes } from './volumes.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_INT32 = 2147483647;

/** Everything that can be wrong in a pod's spec, in a Pod as in a workload's template. */
export const validatePodSpec = (spec: PodSpec, path: string): FieldError[] => [
  ...validateVolumes(spec.volumes, `${path}.volumes`),
  ...validateAllContainers(spec, path),
  ...oneOf(`${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES),
  ...validateDns(spec, path),
  ...validateScheduling(spec, path),
  ...validateHost(spec, path),
  ...validateReferences(spec, path),
  ...(spec.activeDeadlineSeconds === undefined
    ? []
    : inRange(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, MAX_INT32)),
  ...nonNegative(`${path}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds),
  ...each(spec.readinessGates, `${path}.readinessGates`, (gate, at) =>
    invalidFor(`${at}.conditionType`, gate.conditionType ?? '', qualifiedNameErrors(gate.conditionType ?? '')),
  ),
  ...Object.entries(spec.overhead ?? {}).flatMap(([name, amount]) =>
    validateAmount(name, amount, `${path}.overhead[${name}]`),
  ),
  ...oneOf(`${path}.preemptionPolicy`, spec.preemptionPolicy, ['Never', 'PreemptLowerPriority']),
  ...(spec.os ? oneOf(`${path}.os.name`, spec.os.name, ['linux', 'windows'], 'required') : []),
  ...validateSecurityContext(spec, `${path}.securityContext`),
];

function validateDns(spec: PodSpec, path: string): FieldError[] {
  const { dnsConfig, dnsPolicy } = spec;
  const at = `${path}.dnsConfig`;
  const nameservers = dnsConfig?.nameservers ?? [];
  const searches = dnsConfig?.searches ?? [];
  return [
    ...oneOf(`${path}.dnsPolicy`, dnsPolicy, DNS_POLICIES),
    ...(dnsPolicy === 'None' && !dnsConfig
      ? [field.required(at, 'must provide `dnsConfig` when `dnsPolicy` is "None"')]
      : []),
    ...(dnsPolicy === 'None' && dnsConfig && nameservers.length === 0
      ? [field.required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is "None"')]
      : []),
    ...(nameservers.length > 3
      ? [field.invalid(`${at}.nameservers`, nameservers, 'must not have more than 3 nameservers')]
      : []),
    ...each(nameservers, `${at}.nameservers`, (address, addressAt) =>
      invalidFor(addressAt, address, ipErrors(address)),
    ),
    ...(searches.length > 32
      ? [field.invalid(`${at}.searches`, searches, 'must not have more than 32 search paths')]
      : []),
    ...each(dnsConfig?.options, `${at}.options`, (option, optionAt) =>
      option.name ? [] : [field.required(optionAt, 'must not be empty')],
    ),
  ];
}

const validateHost = (spec: PodSpec, path: string): FieldError[] => [
  ...optionalText(`${path}.hostname`, spec.hostname, dnsLabel),
  ...optionalText(`${path}.subdomain`, spec.subdomain, dnsLabel),
  ...optionalText(`${path}.nodeName`, spec.nodeName, dnsSubdomain),
  ...(spec.shareProcessNamespace && spec.hostPID
    ? [
        field.invalid(
          `${path}.shareProcessNamespace`,
          spec.shareProcessNamespace,
          'ShareProcessNamespace and HostPID cannot both be enabled',
        ),
      ]
    : []),
  ...each(spec.hostAliases, `${path}.hostAliases`, (alias, at) => [
    ...invalidFor(`${at}.ip`, alias.ip ?? '', ipErrors(alias.ip ?? '')),
    ...each(alias.hostnames, `${at}.hostnames`, (name, nameAt) => invalidFor(nameAt, name, dnsSubdomain(name))),
  ]),
];

const validateReferences = (spec: PodSpec, path: string): FieldError[] => [
  ...optionalText(`${path}.serviceAccountName`, spec.serviceAccountName, dnsSubdomain),
  ...optionalText(`${path}.priorityClassName`, spec.priorityClassName, dnsSubdomain),
  ...optionalText(`${path}.runtimeClassName`, spec.runtimeClassName, dnsSubdomain),
  ...each(spec.imagePullSecrets, `${path}.imagePullSecrets`, (reference, at) =>
    requiredText(`${at}.name`, reference.name),
  ),
];

function validateSecurityContext({ securityContext: context }: PodSpec, path: string): FieldError[] {
  if (!context) return [];
  return [
    ...validateIds(context, path),
    ...inRange(`${path}.fsGroup`, context.fsGroup, 0, MAX_INT32),
    ...each(context.supplementalGroups, `${path}.supplementalGroups`, (group, at) => inRange(at, group, 0, MAX_INT32)),
    ...oneOf(`${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...each(context.sysctls, `${path}.sysctls`, (sysctl, at) => requiredText(`${at}.name`, sysctl.name)),
    ...duplicates(
      context.sysctls,
      (sysctl) => sysctl.name,
      (index) => `${path}.sysctls[${index}].name`,
    ),
  ];
}
