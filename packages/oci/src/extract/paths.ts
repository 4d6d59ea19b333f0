import { OciError } from '../errors.ts';

/** The path of a member in the image's tree, without a leading slash; a name that leads out of the tree is an error. */
export function treePath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || name.includes('\0'))
    throw new OciError(
      'BadImage',
      `a layer has an entry named ${JSON.stringify(name)}, which points outside the image`,
    );
  return parts.join('/');
}

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

/** What a member says about layers below it; undefined for one that is there for itself. */
export function whiteout(path: string): { readonly kind: 'hidden' | 'opaque'; readonly path: string } | undefined {
  const slash = path.lastIndexOf('/');
  const directory = path.slice(0, Math.max(slash, 0));
  const name = path.slice(slash + 1);
  if (name === OPAQUE) return { kind: 'opaque', path: directory };
  if (!name.startsWith(WHITEOUT)) return undefined;
  const hidden = name.slice(WHITEOUT.length);
  return { kind: 'hidden', path: directory ? `${directory}/${hidden}` : hidden };
}

/** The directories that a path is in, the root (``) first. */
export function ancestors(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index).join('/'));
}
