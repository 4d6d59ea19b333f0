import type { GraphLink, GraphModel, GraphObject } from './graphModel.ts';

/** More objects than this are too many to look at. */
export const MOST_OBJECTS = 60;

/** Objects of a kind and a status fold together: what is missing is never hidden among what is there. */
export const foldKey = ({ group, kind, status }: GraphObject): string => `fold ${group}/${kind} ${status}`;

/**
 * Folds the most numerous kinds into one node each until the rest can be looked at. Kinds in `unfolded` were opened by
 * hand and stay so.
 */
export function foldKinds(model: GraphModel, unfolded: ReadonlySet<string>, most = MOST_OBJECTS): GraphModel {
  const groups = groupsOf(model);
  const folded = new Set<string>();
  let shown = model.objects.size;
  for (const [key, members] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    if (shown <= most || members.length < 2) break;
    // What was opened counts as one, or opening one kind would fold another.
    shown -= members.length - 1;
    if (!unfolded.has(key)) folded.add(key);
  }
  return folded.size === 0 ? model : withFolded(model, groups, folded);
}

function groupsOf({ objects, root }: GraphModel): Map<string, GraphObject[]> {
  const groups = new Map<string, GraphObject[]>();
  for (const object of objects.values()) {
    if (object.key === root) continue;
    const key = foldKey(object);
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  return groups;
}

function withFolded(model: GraphModel, groups: ReadonlyMap<string, GraphObject[]>, folded: Set<string>): GraphModel {
  const objects = new Map<string, GraphObject>();
  const standIn = (key: string): string => {
    const object = model.objects.get(key);
    return object && key !== model.root && folded.has(foldKey(object)) ? foldKey(object) : key;
  };
  for (const [key, object] of model.objects) {
    const shownAs = standIn(key);
    if (shownAs === key) objects.set(key, object);
    else if (!objects.has(shownAs)) objects.set(shownAs, foldedObject(shownAs, groups.get(shownAs) ?? [object]));
  }
  const links = new Map<string, GraphLink>();
  for (const link of model.links) {
    const [from, to] = [standIn(link.from), standIn(link.to)];
    if (from === to) continue;
    const before = links.get(`${from}\n${to}`);
    links.set(`${from}\n${to}`, {
      from,
      to,
      fieldPaths: [...new Set([...(before?.fieldPaths ?? []), ...link.fieldPaths])],
      isOptional: (before?.isOptional ?? true) && link.isOptional,
    });
  }
  return { root: model.root, objects, links: [...links.values()] };
}

function foldedObject(key: string, members: readonly GraphObject[]): GraphObject {
  const [first] = members;
  if (!first) throw new Error(`${key} folds nothing`);
  return {
    ...first,
    key,
    name: `${members.length} objects`,
    isOptional: members.every(({ isOptional }) => isOptional),
    isTruncated: members.some(({ isTruncated }) => isTruncated),
    count: members.length,
  };
}
