import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError, type Status } from '@vireo/api';
import type { ApiHandler, ApiRequest, ApiResponse, RequestBody, StreamResponse, UserInfo } from '@vireo/kube';
import type { Decision } from '../rbac/authorize.ts';
import { parseRequestInfo, type RequestInfo } from '../requestInfo.ts';
import { type AuditContext, impersonatorOf, withAudit } from './context.ts';
import {
  type AuditedStage,
  type AuditedSubject,
  auditEvent,
  microTime,
  requestObjectOf,
  withoutManagers,
} from './event.ts';
import { type AuditDecision, decide, type Policy, type Stage } from './policy.ts';

/** What is taken from a client: the id comes back in a header, which takes no other characters. */
const OWN_ID = /^[\x21-\x7e]{1,64}/;

/** The id of a request in the log: the client's own, up to 64 characters, or a new one. */
export const auditIdOf = (sent: string | undefined): string =>
  sent === undefined ? randomUUID() : (OWN_ID.exec(sent)?.[0] ?? randomUUID());

/** Whether a request was allowed, and why, as every event says it. */
export const decisionAnnotations = ({ allowed, reason }: Decision): readonly (readonly [string, string])[] => [
  ['authorization.k8s.io/decision', allowed ? 'allow' : 'forbid'],
  ['authorization.k8s.io/reason', reason],
];

/** What an auditor needs of a request that nobody serves. */
export type Unserved = Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers' | 'auditId' | 'remoteAddress'>;

/** Writes who did what, by a policy. */
export class Auditor {
  readonly #policy: Policy;
  readonly #write: (event: object) => void;
  readonly #now: () => number;

  constructor(policy: Policy, write: (event: object) => void, now: () => number = Date.now) {
    this.#policy = policy;
    this.#write = write;
    this.#now = now;
  }

  /** A handler whose requests are logged. */
  handler(handle: ApiHandler): ApiHandler {
    return async (request) => {
      const audited = this.begin(request, request.user);
      // It may be part of another request that is logged, and has nothing to say there.
      if (!audited) return withAudit(undefined, () => handle(request));
      try {
        const response = await withAudit(audited, () => handle(audited.observe(request)));
        return audited.respond(response);
      } catch (error) {
        audited.fail(error);
        throw error;
      }
    };
  }

  /** A request that turns its connection into something else: logged when that begins, and when it ends. */
  async upgrade(request: ApiRequest, decision: Decision, socket: Duplex, serve: () => Promise<void>): Promise<void> {
    const audited = this.begin(request, request.user);
    if (!audited) return withAudit(undefined, serve);
    for (const [key, value] of decisionAnnotations(decision)) audited.annotate(key, value);
    try {
      await withAudit(audited, serve);
    } catch (error) {
      audited.fail(error);
      throw error;
    }
    audited.upgraded((callback) => (socket.destroyed ? callback() : socket.once('close', callback)));
  }

  /** A request whose sender could not be recognized, or may not act as another user. */
  refused(request: Unserved, user: UserInfo | undefined, error: unknown): void {
    const audited = this.begin(request, user, true);
    if (user || !(error instanceof ApiError)) audited?.fail(error);
    else audited?.fail(new ApiError(error.status.reason, attempted(request), undefined, error.code));
  }

  /** Undefined where the policy wants nothing of it. */
  begin(request: Unserved, user: UserInfo | undefined, isRefused = false): AuditedRequest | undefined {
    const info = infoOf(request);
    const impersonator = user && impersonatorOf(user);
    const sender = impersonator ?? user;
    const decision = decide(this.#policy, sender, info);
    if (decision.level === 'None') return undefined;
    const query = request.query.toString();
    const subject: AuditedSubject = {
      auditId: request.auditId ?? auditIdOf(request.headers['audit-id']),
      level: decision.level,
      requestUri: query ? `${request.path}?${query}` : request.path,
      info,
      user: sender,
      ...(impersonator && { impersonatedUser: user }),
      sourceIPs: sourcesOf(request),
      userAgent: request.headers['user-agent'],
      receivedAt: microTime(this.#now()),
    };
    const audited = new AuditedRequest(subject, decision, this.#write, this.#now);
    if (!isRefused) audited.emit('RequestReceived', {});
    return audited;
  }
}

/** One request that is logged, from its arrival to its end. */
export class AuditedRequest implements AuditContext {
  readonly #subject: AuditedSubject;
  readonly #decision: AuditDecision;
  readonly #write: (event: object) => void;
  readonly #now: () => number;
  readonly #annotations: Record<string, string> = {};
  #object: Record<string, string> = {};
  #body: RequestBody | undefined;

  constructor(subject: AuditedSubject, decision: AuditDecision, write: (event: object) => void, now: () => number) {
    this.#subject = subject;
    this.#decision = decision;
    this.#write = write;
    this.#now = now;
  }

  annotate(key: string, value: string): void {
    this.#annotations[key] = value;
  }

  hasAnnotation(key: string): boolean {
    return Object.hasOwn(this.#annotations, key);
  }

  noteObject({ name, namespace, uid, resourceVersion }: Parameters<AuditContext['noteObject']>[0]): void {
    const { info } = this.#subject;
    if (!info.isResource) return;
    this.#object = {
      ...(namespace && !info.namespace && { namespace }),
      ...(name && !info.name && { name }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
    };
  }

  /** The request, whose body is kept where the policy wants it. */
  observe(request: ApiRequest): ApiRequest {
    if (this.#decision.level === 'Metadata') return request;
    const { method, path, query, headers, user, auditId, remoteAddress, input } = request;
    return {
      method,
      path,
      query,
      headers,
      user,
      ...(auditId && { auditId }),
      ...(remoteAddress && { remoteAddress }),
      ...(input && { input }),
      // Made on demand, for those who ask.
      get signal() {
        return request.signal;
      },
      body: async () => {
        this.#body = await request.body();
        return this.#body;
      },
    };
  }

  /** Logs the end of an answer, or, where it goes on, its beginning now and its end then. */
  respond(response: ApiResponse): ApiResponse {
    const status = { metadata: {}, code: response.status };
    if (response.type === 'stream') return this.#follow(response, status);
    const { level, omitManagedFields } = this.#decision;
    const hasObject = level === 'RequestResponse' && response.type === 'object';
    const object = hasObject ? response.object() : undefined;
    this.emit('ResponseComplete', {
      responseStatus: status,
      ...(hasObject && { responseObject: omitManagedFields ? withoutManagers(object) : object }),
    });
    return response;
  }

  /** The same for a connection that has become something else. */
  upgraded(onEnd: (callback: () => void) => void): void {
    const responseStatus = { metadata: {}, code: 101 };
    this.emit('ResponseStarted', { responseStatus });
    onEnd(() => this.emit('ResponseComplete', { responseStatus }));
  }

  fail(error: unknown): void {
    const isOurs = !(error instanceof ApiError);
    const status: Partial<Status> = isOurs
      ? { metadata: {}, status: 'Failure', reason: 'InternalError', code: 500 }
      : statusOf(error);
    this.emit(isOurs ? 'Panic' : 'ResponseComplete', {
      responseStatus: status,
      ...(this.#decision.level === 'RequestResponse' && !isOurs && { responseObject: error.status }),
    });
  }

  #follow(response: StreamResponse, responseStatus: Partial<Status>): StreamResponse {
    this.emit('ResponseStarted', { responseStatus });
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.emit('ResponseComplete', { responseStatus });
    };
    const ended =
      (act: () => void): (() => void) =>
      () => {
        act();
        end();
      };
    return {
      ...response,
      start: (sink) => {
        const observed = Object.create(sink, {
          end: { value: ended(() => sink.end()) },
          fail: { value: ended(() => sink.fail()) },
        });
        return ended(response.start(observed));
      },
    };
  }

  emit(stage: Stage, more: Omit<AuditedStage, 'stage' | 'at'>): void {
    const { level, omitStages, omitManagedFields } = this.#decision;
    if (omitStages.includes(stage)) return;
    const body = level === 'Metadata' || !this.#body ? undefined : requestObjectOf(this.#body);
    this.#write(
      auditEvent(this.#subject, {
        stage,
        at: microTime(this.#now()),
        object: this.#object,
        ...(body !== undefined && { requestObject: omitManagedFields ? withoutManagers(body) : body }),
        annotations: this.#annotations,
        ...more,
      }),
    );
  }
}

const statusOf = ({ status }: ApiError): Partial<Status> => ({
  metadata: {},
  status: 'Failure',
  message: status.message,
  reason: status.reason,
  ...(status.details && { details: status.details }),
  code: status.code,
});

const SCHEMES = ['basic', 'bearer'];

/** What the log says in place of `Unauthorized`. A scheme that nobody knows may be a token that came without one. */
function attempted({ headers }: Unserved): string {
  const [scheme = ''] = (headers.authorization ?? '').trim().toLowerCase().split(' ');
  return `Authentication failed, attempted: ${SCHEMES.includes(scheme) ? scheme : 'x509'}`;
}

/** A path that is not properly escaped is about nothing. */
function infoOf({ method, path, query }: Unserved): RequestInfo {
  try {
    return parseRequestInfo(method, path, query);
  } catch {
    return { isResource: false, verb: method.toLowerCase(), path };
  }
}

/** Those who claim to have forwarded the request, then the one who really sent it. */
function sourcesOf({ headers, remoteAddress }: Unserved): string[] {
  const claimed = [...(headers['x-forwarded-for'] ?? '').split(','), headers['x-real-ip'] ?? '']
    .map((address) => address.trim())
    .filter((address) => /^[\da-fA-F.:]{2,45}$/.test(address));
  const actual = remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '::1';
  return [...new Set([...claimed, actual])];
}
