import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kind } from '@vireo/api';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { NOT_IMPLEMENTED } from '@vireo/extension/actions/notImplemented.ts';
import { ACTIONS } from '@vireo/extension/actions/table.ts';
import { UNSUPPORTED_KINDS } from '@vireo/extension/admission/unsupportedKinds.ts';
import { describe, expect, it } from 'vitest';

const page = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url));
const text = readFileSync(page, 'utf8');

/** The text below a heading, up to the next one of the same level or above. */
function section(title: string, within = text): string {
  const [, marks = '', rest = ''] = new RegExp(`^(#+) ${title}\n([^]*)`, 'm').exec(within) ?? [];
  return rest.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0] ?? '';
}

/** The cells of every row of the tables in a text, without their heads. */
const rows = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('| ') || line.startsWith('|  '))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))
    .slice(1);

const words = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
const quoted = (cell: string | undefined): string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();
const nameOf = ({ group, version, kind }: Kind): string => `${group ? `${group}/` : ''}${version} ${kind}`;

describe('docs/compatibility.md', () => {
  const [kubernetes, kubevirt] = [section('Kubernetes 1\\.36'), section('KubeVirt 1\\.9')];

  it('lists exactly the kinds of Kubernetes that are served', () => {
    const listed = rows(section('Kinds', kubernetes)).flatMap(([version, kinds]) =>
      words(kinds).map((each) => {
        const [, other, kind] = /^`(.*)` (.*)$/.exec(each) ?? [];
        return other ? `${other} ${kind}` : `${quoted(version)[0]} ${each}`;
      }),
    );
    expect(listed.sort()).toEqual(builtinKinds.map(nameOf).sort());
  });

  it('names as not served only kinds that are not', () => {
    const [, list] = /Not served: (.*?)\./.exec(kubernetes) ?? [];
    const served = new Set(builtinKinds.map(({ kind }) => kind as string));
    expect(words(list).length).toBeGreaterThan(5);
    expect(words(list).filter((kind) => served.has(kind))).toEqual([]);
  });

  it('lists exactly the kinds of KubeVirt that run, and those that do not', () => {
    const [run, refused] = rows(section('Kinds', kubevirt)).map(([, kinds]) => words(kinds).sort());
    const isRefused = new Set(UNSUPPORTED_KINDS.map(({ kind }) => kind));
    expect(run).toEqual(unique(kubevirtKinds.map(({ kind }) => kind).filter((kind) => !isRefused.has(kind))));
    expect(refused).toEqual(unique([...isRefused]));
  });

  it('lists exactly the subresources of KubeVirt that work, and those that are refused', () => {
    const own = ACTIONS.filter(({ group }) => group === 'subresources.kubevirt.io');
    const resources = [
      'virtualmachines',
      'virtualmachineinstances',
      'virtualmachineinstancereplicasets',
      'virtualmachinepools',
    ] as const;
    const [done, refused] = rows(section('Subresources', kubevirt));
    for (const [index, resource] of resources.entries()) {
      const names = own.filter((action) => action.resource === resource);
      const isNotImplemented = (action: (typeof own)[number]) => NOT_IMPLEMENTED.includes(action);
      expect(unique(quoted(done?.[index + 1]))).toEqual(
        unique(names.filter((each) => !isNotImplemented(each)).map(({ name }) => name)),
      );
      expect(unique(quoted(refused?.[index + 1]))).toEqual(
        unique(names.filter(isNotImplemented).map(({ name }) => name)),
      );
    }
    expect(unique(own.map(({ resource }) => resource))).toEqual([...resources].sort());
  });

  it.each([
    ['Kubernetes', kubernetes],
    ['KubeVirt', kubevirt],
  ])('names for each difference from %s a test that is there', (_, part) => {
    const differences = rows(section('Differences', part));
    expect(differences.length).toBeGreaterThan(3);
    for (const [what, why, shown = ''] of differences) {
      expect(why, what).not.toBe('');
      const files = [...shown.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path!);
      if (files.length === 0) expect(shown, what).toMatch(/^no test/);
      for (const file of files) expect(existsSync(join(dirname(page), file)), `${what}: ${file}`).toBe(true);
    }
  });
});
