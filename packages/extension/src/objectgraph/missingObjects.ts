import { ApiError, conflict, PersistentVolumeClaim, Secret, type UnknownObject } from '@vireo/api';
import { type GraphNode, MAX_LEVELS } from './graph.ts';
import { kindKey } from './kinds.ts';
import { isEntered, isLeftOut, templateNames } from './manifests.ts';

/** Something that a response should have and has not. */
export interface MissingObject {
  readonly why: 'missing' | 'forbidden' | 'cut';
  /** `Secret default/keys`. */
  readonly object: string;
  /** The field that names it. */
  readonly fieldPath: string;
}

/** Of a graph: what is needed and cannot be vouched for, and where it was cut off. */
export const missingInGraph = (root: GraphNode): readonly MissingObject[] =>
  distinct(
    everyNode(root).flatMap(({ node }) => {
      if (node.status !== 'present' && !node.isOptional) return [missingObject(node, node.status)];
      return node.isCut ? [missingObject(node, 'cut')] : [];
    }),
  );

/** Where a graph was cut off: nothing else in it says so to clients that know KubeVirt's fields alone. */
export const truncations = (root: GraphNode): readonly MissingObject[] =>
  missingInGraph(root).filter(({ why }) => why === 'cut');

/**
 * Of manifests: what is needed and not there, and what would be among them if the one who asks might read it. What the
 * VM has made by itself where it is applied is not missing.
 */
export function missingInManifests(
  root: GraphNode,
  rootObject: UnknownObject,
  includesSecrets: boolean,
): readonly MissingObject[] {
  const templates = templateNames(rootObject);
  const isMadeAnew = (node: GraphNode, above: GraphNode): boolean => {
    if (node.kind.kind === 'DataVolume') return templates.has(node.name);
    if (kindKey(node.kind) !== kindKey(PersistentVolumeClaim) || above.kind.kind !== 'DataVolume') return false;
    return above.status === 'present' || templates.has(above.name);
  };
  return distinct(
    everyNode(root, isEntered).flatMap(({ node, above }) => {
      if (node.isCut) return [missingObject(node, 'cut')];
      if (isLeftOut(node.kind)) return [];
      if (node.status === 'missing')
        return node.isOptional || isMadeAnew(node, above) ? [] : [missingObject(node, 'missing')];
      if (node.status === 'present' || (node.kind.kind === 'DataVolume' && templates.has(node.name))) return [];
      return kindKey(node.kind) === kindKey(Secret) && !includesSecrets ? [] : [missingObject(node, 'forbidden')];
    }),
  );
}

/** A claim that would be found by listing claims only. */
export const unlistedStateClaim = (namespace: string): MissingObject => ({
  why: 'forbidden',
  object: `the PersistentVolumeClaim in ${namespace} that holds the firmware state`,
  fieldPath: 'domain.firmware',
});

/** A line each, the count first: headers take only so many. */
export function missingTexts(missing: readonly MissingObject[], what: string, username: string): readonly string[] {
  if (missing.length === 0) return [];
  return [`${what} is incomplete: ${summary(missing)}`, ...missing.map((each) => missingText(each, username))];
}

/** The refusal of whoever wants all or nothing. */
export function incomplete(
  root: GraphNode,
  missing: readonly MissingObject[],
  what: string,
  username: string,
): ApiError {
  const { kind, name } = root;
  const texts = missing.map((each) => missingText(each, username));
  const { message, status } = conflict(
    { group: kind.group, resource: kind.plural },
    name,
    `${what} is incomplete: ${texts.join('; ')}`,
  );
  const causes = missing.map(({ fieldPath, why }, i) => ({
    reason:
      why === 'missing' ? 'FieldValueNotFound' : why === 'forbidden' ? 'FieldValueForbidden' : 'FieldValueInvalid',
    message: texts[i] ?? '',
    field: fieldPath,
  }));
  return new ApiError('Conflict', message, { ...status.details, causes });
}

function summary(missing: readonly MissingObject[]): string {
  const count = (of: MissingObject['why']): number => missing.filter(({ why }) => why === of).length;
  return [
    [count('missing'), 'missing'],
    [count('forbidden'), 'forbidden'],
    [count('cut'), 'cut off'],
  ]
    .flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]))
    .join(', ');
}

function missingText({ why, object, fieldPath }: MissingObject, username: string): string {
  switch (why) {
    case 'missing':
      return `${object} is missing (${fieldPath})`;
    case 'forbidden':
      return `User "${username}" cannot get ${object} (${fieldPath})`;
    case 'cut':
      return `the dependencies of ${object} are omitted: they are more than ${MAX_LEVELS} levels away`;
  }
}

function missingObject({ kind, namespace, name, fieldPath }: GraphNode, why: MissingObject['why']): MissingObject {
  const where = kind.namespaced ? `${namespace}/${name}` : name;
  return { why, object: `${kind.kind} ${/[\p{Cc}\p{Cf}]/u.test(where) ? JSON.stringify(where) : where}`, fieldPath };
}

interface Place {
  readonly node: GraphNode;
  readonly above: GraphNode;
}

const everyNode = (above: GraphNode, isEntered: (node: GraphNode) => boolean = () => true): readonly Place[] =>
  above.children.flatMap((node) => [{ node, above }, ...(isEntered(node) ? everyNode(node, isEntered) : [])]);

const distinct = (missing: readonly MissingObject[]): readonly MissingObject[] => [
  ...new Map(missing.map((each) => [`${each.why} ${each.object}`, each])).values(),
];
