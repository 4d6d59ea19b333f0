import type { Status } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { RequestBody, UserInfo } from '@vireo/kube';
import { decodeBody } from '../decode/body.ts';
import { bodySchema } from '../protobuf/bodies.ts';
import type { RequestInfo } from '../requestInfo.ts';
import type { Level, Stage } from './policy.ts';

/** What is known of a request, whatever the stage. */
export interface AuditedSubject {
  readonly auditId: string;
  readonly level: Level;
  readonly requestUri: string;
  readonly info: RequestInfo;
  /** Undefined where nobody could be recognized. */
  readonly user: UserInfo | undefined;
  readonly impersonatedUser?: UserInfo | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string | undefined;
  readonly receivedAt: string;
}

/** What differs from stage to stage. */
export interface AuditedStage {
  readonly stage: Stage;
  readonly at: string;
  readonly object?: Readonly<Record<string, string>>;
  readonly responseStatus?: Partial<Status>;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One line of the log: an `audit.k8s.io/v1` Event, its fields in Kubernetes' order. */
export function auditEvent(subject: AuditedSubject, stage: AuditedStage): Record<string, unknown> {
  const { info } = subject;
  const hasAnnotations = stage.annotations && Object.keys(stage.annotations).length > 0;
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: subject.level,
    auditID: subject.auditId,
    stage: stage.stage,
    requestURI: subject.requestUri,
    verb: info.verb,
    user: subject.user ?? {},
    ...(subject.impersonatedUser && { impersonatedUser: subject.impersonatedUser }),
    ...(subject.sourceIPs.length > 0 && { sourceIPs: subject.sourceIPs }),
    ...(subject.userAgent && { userAgent: subject.userAgent }),
    ...(info.isResource && { objectRef: { ...referenceOf(info), ...stage.object } }),
    ...(stage.responseStatus && { responseStatus: stage.responseStatus }),
    ...(stage.requestObject !== undefined && { requestObject: stage.requestObject }),
    ...(stage.responseObject !== undefined && { responseObject: stage.responseObject }),
    requestReceivedTimestamp: subject.receivedAt,
    stageTimestamp: stage.at,
    ...(hasAnnotations && { annotations: stage.annotations }),
  };
}

const referenceOf = (info: RequestInfo & { isResource: true }): Record<string, string> => ({
  resource: info.resource,
  ...(info.namespace && { namespace: info.namespace }),
  ...(info.name && { name: info.name }),
  ...(info.group && { apiGroup: info.group }),
  apiVersion: info.version,
  ...(info.subresource && { subresource: info.subresource }),
});

/** `2026-01-01T00:00:00.123456Z`, as Kubernetes' MicroTime; the clock has milliseconds. */
export const microTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** What a client has sent, as JSON; undefined where it cannot be read, which the response says. */
export function requestObjectOf(body: RequestBody): unknown {
  if ('value' in body) return body.value;
  try {
    const isPatch = body.contentType.includes('-patch+');
    if (isPatch) return JSON.parse(body.bytes.toString('utf8'));
    return decodeBody(body, bodySchema, {}).value;
  } catch {
    return undefined;
  }
}

/** An object or a list without its managers, which nobody reads in a log. */
export function withoutManagers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { metadata, items } = value;
  const strip = (each: unknown): unknown => {
    if (!isObject(each) || !('managedFields' in each)) return each;
    const { managedFields: _, ...rest } = each;
    return rest;
  };
  return {
    ...value,
    ...(metadata !== undefined && { metadata: strip(metadata) }),
    ...(Array.isArray(items) && { items: items.map(withoutManagers) }),
  };
}
