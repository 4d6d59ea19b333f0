import type { KubeObject } from '@vireo/api';
import type { Operation } from '../rule.ts';

/** A write of a node. */
export interface NodeWrite<T extends KubeObject> {
  readonly node: string;
  readonly operation: Operation;
  /** What is written; on DELETE what is deleted. */
  readonly object: T;
  readonly oldObject?: T | undefined;
}
