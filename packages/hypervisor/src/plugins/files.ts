import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** A package with more files than this is not looked through. */
const MAX_FILES = 20_000;

/** Why code must not be taken from a file: somebody else may write it, or a directory above it. Nothing where it may. */
export function fileProblem(path: string): string | undefined {
  const real = realpathSync(path);
  return ownProblem(real) ?? problemAbove(real);
}

/** Why code must not be taken from a directory: somebody else may write it, anything in it, or a directory above it. */
export function treeProblem(directory: string): string | undefined {
  const real = realpathSync(directory);
  return problemAbove(real) ?? problemIn(real);
}

function problemIn(root: string): string | undefined {
  const left = [root];
  let seen = 0;
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    seen += 1;
    if (seen > MAX_FILES) return `${root} has more than ${MAX_FILES} files`;
    const problem = ownProblem(path);
    if (problem) return problem;
    const inner = path;
    // What a link leads to is looked at when it is loaded.
    if (lstatSync(path).isDirectory()) left.push(...readdirSync(path).map((name) => join(inner, name)));
  }
  return undefined;
}

function problemAbove(path: string): string | undefined {
  for (let above = dirname(path), below = path; above !== below; below = above, above = dirname(above)) {
    const problem = ownProblem(above);
    if (problem) return problem;
  }
  return undefined;
}

function ownProblem(path: string): string | undefined {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return undefined;
  const { uid, mode } = found;
  const self = process.getuid?.() ?? uid;
  if (uid !== self && uid !== 0) return `${path} belongs to user ${uid}; it must belong to user ${self} or to root`;
  // In a sticky directory, such as /tmp, nobody can replace what belongs to others.
  if ((mode & WRITABLE_BY_OTHERS) === 0 || (found.isDirectory() && mode & STICKY)) return undefined;
  const shown = (mode & 0o777).toString(8);
  return `${path} is writable by others (mode ${shown}); run: chmod go-w ${path}`;
}
