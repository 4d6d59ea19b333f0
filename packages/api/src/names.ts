export * from './nameRules.ts';
export { validateObjectMeta, validateObjectMetaUpdate } from './validateMeta.ts';
export { configKeyErrors, envNameErrors, httpHeaderNameErrors, ipErrors, portNameErrors } from './valueRules.ts';
