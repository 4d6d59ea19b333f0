export { applyInstancetype, type Types } from './apply.ts';
export { expandVm, preferForVm, withTypes } from './expand.ts';
export {
  type Found,
  findExistingTypes,
  findType,
  findTypes,
  MATCHER_FIELDS,
  MATCHER_KINDS,
  type Matcher,
  type MatcherField,
  matcherKind,
  OBJECT_LABEL,
  type TypeLookup,
  type TypeObject,
  TypeProblem,
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
export type { Machine } from './size.ts';
