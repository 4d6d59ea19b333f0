import { AsyncLocalStorage } from 'node:async_hooks';
import type { UserInfo } from '@vireo/kube';

/** What the parts that serve a request add to its audit events. */
export interface AuditContext {
  annotate(key: string, value: string): void;
  hasAnnotation(key: string): boolean;
  /** The object that the request is about, where the path alone does not say it. */
  noteObject(metadata: ObjectIdentity): void;
}

interface ObjectIdentity {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

const storage = new AsyncLocalStorage<AuditContext | undefined>();

/** Does something as part of a request that is logged; undefined: of one that is not. */
export const withAudit = <T>(context: AuditContext | undefined, act: () => T): T => storage.run(context, act);

/** Whether this request is logged. */
export const isAudited = (): boolean => storage.getStore() !== undefined;

/** Adds an annotation to the events of this request, if there are any. */
export const annotateAudit = (key: string, value: string): void => storage.getStore()?.annotate(key, value);

/** The same for what must be computed first. */
export function annotateAuditWith(annotations: () => readonly (readonly [key: string, value: string])[]): void {
  const context = storage.getStore();
  if (context) for (const [key, value] of annotations()) context.annotate(key, value);
}

/** Notes that a webhook failed and was ignored, under the next free index of this request. */
export function annotateFailedOpen(webhook: string, type: 'admit' | 'validating'): void {
  const context = storage.getStore();
  if (!context) return;
  const prefix = `failed-open.${type === 'admit' ? 'mutation' : 'validating'}.webhook.admission.k8s.io/round_0_index_`;
  let index = 0;
  while (context.hasAnnotation(`${prefix}${index}`)) index++;
  context.annotate(`${prefix}${index}`, webhook);
}

/** Says which object is about to be written. */
export const noteAuditObject = (metadata: ObjectIdentity): void => storage.getStore()?.noteObject(metadata);

/** Who impersonates a user, by that user. */
const impersonators = new WeakMap<UserInfo, UserInfo>();

/** Remembers that `impersonator` acts as `user`. */
export const noteImpersonation = (user: UserInfo, impersonator: UserInfo): void => {
  if (user !== impersonator) impersonators.set(user, impersonator);
};

/** Who impersonates a user; undefined if nobody does. */
export const impersonatorOf = (user: UserInfo): UserInfo | undefined => impersonators.get(user);

const senders = new WeakMap<object, UserInfo>();

/** Remembers who sent the request that was rejected with this error. */
export const noteSender = (error: unknown, sender: UserInfo): void => {
  if (error instanceof Error) senders.set(error, sender);
};

/** Who sent the request that was rejected with this error, if that is known. */
export const senderOf = (error: unknown): UserInfo | undefined =>
  error instanceof Error ? senders.get(error) : undefined;
