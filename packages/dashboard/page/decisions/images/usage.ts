import type { KubeObject } from '../../data/kinds.ts';
import { bytesOf } from '../quantity.ts';
import {
  ALLOCATED_BYTES,
  annotationOf,
  type Claim,
  FREE_STORAGE,
  type OwnedMetadata,
  type StorageClass,
} from './objects.ts';

export interface StorageNode extends KubeObject {
  readonly metadata: OwnedMetadata;
  readonly status?: { readonly capacity?: Readonly<Record<string, string>> };
}

export interface StorageCapacity extends KubeObject {
  readonly storageClassName?: string;
  readonly capacity?: string;
}

/** How much of a class has been given out. */
export interface ClassUsage {
  readonly name: string;
  readonly provisioner: string | undefined;
  readonly claims: number;
  readonly givenBytes: number;
  /** Of those claims that say how much they take. */
  readonly usedBytes: number | undefined;
  readonly claimsWithUsed: number;
  /** As CSIStorageCapacity says. */
  readonly freeBytes: number | undefined;
}

/** How much room a node has for volumes. */
export interface NodeRoom {
  readonly name: string;
  readonly freeBytes: number;
  readonly totalBytes: number | undefined;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const numbersOf = <T>(items: readonly T[], number: (item: T) => number | undefined): number[] =>
  items.flatMap((item) => number(item) ?? []);

const usedOf = (claim: Claim): number | undefined => {
  const text = annotationOf(claim, ALLOCATED_BYTES);
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
};

/** Each class, those that only claims name among them. */
export function classUsage(
  classes: readonly StorageClass[],
  claims: readonly Claim[],
  capacities: readonly StorageCapacity[],
): ClassUsage[] {
  const byClass = Map.groupBy(claims, ({ spec }) => spec?.storageClassName ?? '');
  const known = new Map(classes.map((each) => [each.metadata.name, each]));
  return [...new Set([...known.keys(), ...byClass.keys()])].sort().map((name) => {
    const own = byClass.get(name) ?? [];
    const used = numbersOf(own, usedOf);
    const free = numbersOf(
      capacities.filter(({ storageClassName }) => storageClassName === name),
      ({ capacity }) => bytesOf(capacity),
    );
    return {
      name,
      provisioner: known.get(name)?.provisioner,
      claims: own.length,
      givenBytes: sum(
        numbersOf(own, ({ status, spec }) => bytesOf(status?.capacity?.storage ?? spec?.resources?.requests?.storage)),
      ),
      usedBytes: used.length > 0 ? sum(used) : undefined,
      claimsWithUsed: used.length,
      freeBytes: free.length > 0 ? sum(free) : undefined,
    };
  });
}

/** Nodes of Vireo say how much of the disk that volumes are on is free. */
export function nodeRooms(nodes: readonly StorageNode[]): NodeRoom[] {
  return nodes
    .flatMap((node) => {
      const freeBytes = Number(annotationOf(node, FREE_STORAGE) ?? Number.NaN);
      if (!Number.isFinite(freeBytes)) return [];
      return [
        { name: node.metadata.name, freeBytes, totalBytes: bytesOf(node.status?.capacity?.['ephemeral-storage']) },
      ];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
