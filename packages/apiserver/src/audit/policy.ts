import { isObject } from '@vireo/api/json.ts';
import type { UserInfo } from '@vireo/kube';
import { parse } from 'yaml';
import { ConfigurationInvalid } from '../configurationInvalid.ts';
import type { RequestInfo } from '../requestInfo.ts';
import { policyProblems } from './check.ts';

export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

/** How much of a request is logged. */
export type Level = (typeof LEVELS)[number];
/** When in the life of a request an event is written. */
export type Stage = (typeof STAGES)[number];

/** One rule of a policy. The first that matches a request decides. */
export interface Rule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

/** An `audit.k8s.io/v1` Policy. */
export interface Policy {
  readonly rules: readonly Rule[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

/** What a policy says of one request. */
export interface AuditDecision {
  readonly level: Level;
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** Who did what to everything, without what was in it. */
export const METADATA_OF_ALL: Policy = { rules: [{ level: 'Metadata' }] };

/** Reads a Policy. Throws ConfigurationInvalid, which names every field that is wrong, in Kubernetes' words. */
export function parsePolicy(yaml: string, source: string): Policy {
  let document: unknown;
  try {
    document = parse(yaml);
  } catch (cause) {
    throw new ConfigurationInvalid(`${source} is not valid YAML: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(document) || document.apiVersion !== 'audit.k8s.io/v1' || document.kind !== 'Policy')
    throw new ConfigurationInvalid(`${source}: expected a Policy of audit.k8s.io/v1`);
  const problems = policyProblems(document);
  if (problems.length > 0)
    throw new ConfigurationInvalid(`${source} is invalid:\n${problems.map((each) => `  ${each}`).join('\n')}`);
  return document as unknown as Policy;
}

const NOT_LOGGED: AuditDecision = { level: 'None', omitStages: [], omitManagedFields: false };

/** What is to be logged of a request. A request that no rule matches is not logged; nobody is no user of a rule. */
export function decide(policy: Policy, user: UserInfo | undefined, info: RequestInfo): AuditDecision {
  const rule = policy.rules.find((each) => matches(each, user, info));
  if (!rule) return NOT_LOGGED;
  return {
    level: rule.level,
    omitStages: [...(policy.omitStages ?? []), ...(rule.omitStages ?? [])],
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

const isSet = (values: readonly unknown[] | undefined): values is readonly unknown[] =>
  values !== undefined && values !== null && values.length > 0;

function matches(rule: Rule, user: UserInfo | undefined, info: RequestInfo): boolean {
  if (isSet(rule.users) && !rule.users.includes(user?.username ?? '')) return false;
  if (isSet(rule.userGroups) && !user?.groups.some((group) => rule.userGroups?.includes(group))) return false;
  if (isSet(rule.verbs) && !rule.verbs.includes(info.verb)) return false;
  if (isSet(rule.namespaces) || isSet(rule.resources)) return matchesResource(rule, info);
  if (isSet(rule.nonResourceURLs))
    return !info.isResource && rule.nonResourceURLs.some((url) => covers(url, info.path));
  return true;
}

function matchesResource({ namespaces, resources }: Rule, info: RequestInfo): boolean {
  if (!info.isResource) return false;
  // Kinds without namespace count as being in ''.
  if (isSet(namespaces) && !namespaces.includes(info.namespace ?? '')) return false;
  if (!isSet(resources)) return true;
  const { group, resource, subresource, name } = info;
  const combined = subresource ? `${resource}/${subresource}` : resource;
  const isNamed = (pattern: string): boolean =>
    pattern === '*' ||
    pattern === combined ||
    (pattern.startsWith('*/') && subresource !== '' && pattern.slice(2) === subresource) ||
    (pattern.endsWith('/*') && pattern.slice(0, -2) === resource);
  return resources.some(
    (each) =>
      (each.group ?? '') === group &&
      (!isSet(each.resources) || each.resources.some(isNamed)) &&
      (!isSet(each.resourceNames) || each.resourceNames.includes(name)),
  );
}

const covers = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
