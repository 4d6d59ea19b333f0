import { isAt, type Problem } from '../yaml/problems.ts';
import type { Path } from '../yaml/values.ts';
import {
  DOMAIN,
  INTERFACES,
  listAt,
  NETWORKS,
  type Objects,
  TEMPLATES,
  textAt,
  VOLUMES,
  vmName,
  vmNamespace,
} from './objects.ts';

const NAME: Problem['path'] = ['metadata', 'name'];

/** What is wrong before the server is asked; `claims` are those that the namespace has. */
export function ownProblems(objects: Objects, claims: readonly string[]): Problem[] {
  const taken = listAt(objects.vm, TEMPLATES)
    .map((each) => textAt(each, ['metadata', 'name']))
    .filter((name) => claims.includes(name));
  return taken.map((name) => ({
    path: NAME,
    message: `Namespace ${vmNamespace(objects)} already has a volume ${name}. The machine would start with its old contents: choose another name.`,
  }));
}

/** What is missing before anything can be created; undefined if nothing is. */
export function missing(objects: Objects): string | undefined {
  if (vmName(objects) === '') return 'Give it a name first.';
  return vmNamespace(objects) === '' ? 'Choose a namespace first.' : undefined;
}

/** The fields that the form has; each shows what is wrong with it. */
export const FORM_PATHS = {
  name: [['metadata', 'name']],
  namespace: [['metadata', 'namespace']],
  source: [
    [...VOLUMES, 0],
    [...TEMPLATES, 0],
  ],
  instancetype: [['spec', 'instancetype']],
  preference: [['spec', 'preference']],
  cpu: [[...DOMAIN, 'cpu']],
  memory: [
    [...DOMAIN, 'memory'],
    [...DOMAIN, 'resources'],
  ],
  networks: [INTERFACES, NETWORKS],
  running: [
    ['spec', 'runStrategy'],
    ['spec', 'running'],
  ],
  labels: [['metadata', 'labels']],
} as const satisfies Readonly<Record<string, readonly Path[]>>;

/** Problems that no field of the form shows. */
export const elsewhere = (problems: readonly Problem[]): Problem[] =>
  problems.filter(
    (problem) => problem.document === 1 || !isAt(problem, Object.values<readonly Path[]>(FORM_PATHS).flat()),
  );
