export { applyInstancetype, type InstancetypeAndPreference } from './apply.ts';
export { applyInstancetypeToVm, expandVm, preferForVm } from './expand.ts';
export {
  findExistingInstancetypeAndPreference,
  findInstancetypeAndPreference,
  type InstancetypeLookup,
  type InstancetypeOrPreference,
  instancetypeAnnotations,
  MATCHER_FIELDS,
  MATCHER_KINDS,
  type Matcher,
  MatcherError,
  type MatcherField,
  matcherKind,
  OBJECT_LABEL,
  type ResolvedMatcher,
  resolveMatcher,
} from './matcher.ts';
export { unmetRequirements } from './requirements.ts';
export {
  instancetypeRules,
  instancetypeWarnings,
  matcherRules,
  preferenceRules,
  preferenceWarnings,
} from './rules.ts';
export type { AnnotatedVmiSpec } from './size.ts';
