export { applyInstancetype, type InstancetypeAndPreference } from './apply.ts';
export { applyInstancetypeToVm, expandVm, preferForVm } from './expand.ts';
export {
  type Found,
  findExistingTypes,
  findType,
  findTypes,
  MATCHER_FIELDS,
  MATCHER_KINDS,
  type Matcher,
  MatcherError,
  type MatcherField,
  matcherKind,
  OBJECT_LABEL,
  type TypeLookup,
  type TypeObject,
  typeAnnotations,
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
