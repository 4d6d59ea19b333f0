import type { Kind, UnknownObject } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import type { Rounds } from './reinvocation.ts';

/** What is about to happen, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly kind: Kind;
  readonly subresource?: string;
  /** Of `object` and `oldObject`, where a subresource has a kind of its own, such as Eviction. */
  readonly objectKind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace?: string;
  /** Empty while a generated name is still to come. */
  readonly name: string;
  /** The new object, a private draft; absent for DELETE. Mutating plug-ins change it in place. */
  readonly object?: UnknownObject;
  /** The stored object; absent for CREATE. Frozen. */
  readonly oldObject?: UnknownObject;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** When the client has to be answered, in milliseconds since the epoch; absent: not by any time. */
  readonly deadline?: number;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
  /** Texts for `Warning:` headers. */
  readonly warn: (text: string) => void;
  /**
   * Called once the request's outcome is known: `true` when the write was done. Plug-ins that count (quota) register
   * here what they reserved.
   */
  readonly onSettled: (callback: (written: boolean) => void) => void;
  /** Whether this is the first or the second time that mutating plug-ins see the object. */
  readonly rounds: Rounds;
}

/**
 * One step of the admission chain. All `mutate` run in order, and once more if a webhook or policy changed the object;
 * then the schema is checked, then all `validate`.
 * Refuse by throwing an ApiError.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest): Promise<void> | void;
  validate?(request: AdmissionRequest): Promise<void> | void;
}
