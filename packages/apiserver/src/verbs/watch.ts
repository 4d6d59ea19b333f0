import { ApiError, expired, internalError, type Status } from '@vireo/api';
import type { ApiResponse } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { JSON_TYPE, PROTOBUF_TYPE } from '../decode/body.ts';
import { apiVersionOf, asServed, converting, keyOf, keyPrefix, type Resource } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { StoreCompacted, type Stored, type StoreEvent, type Subscription } from '../store/store.ts';
import { ConvertedEvents } from './convertedEvents.ts';
import { notOlderThan } from './list.ts';
import { checkListOptions, type ListOptions, listOptions, parseResourceVersion } from './options.ts';
import { parseSelection, type Selection } from './selection.ts';
import { WatchStream } from './watchStream.ts';

export async function watch(context: VerbContext): Promise<ApiResponse> {
  const { core, resource, info, request } = context;
  const options = listOptions(request.query);
  checkListOptions(options, true);
  const representation = negotiate(request.headers.accept, request.query, {
    custom: resource.custom,
    stream: true,
  });
  const selection = parseSelection(
    resource,
    options.labelSelector,
    info.name === ''
      ? options.fieldSelector
      : [options.fieldSelector, `metadata.name=${info.name}`].filter(Boolean).join(','),
  );
  const { store } = core;
  const startsAt = startRevision(options);
  if (startsAt !== undefined) await notOlderThan(store, startsAt, request.signal);
  const exactKey = selection.name !== undefined && (!resource.kind.namespaced || info.namespace !== undefined);
  const prefix = exactKey
    ? keyOf(resource, info.namespace, selection.name as string)
    : keyPrefix(resource, info.namespace);
  const withState = options.sendInitialEvents ?? startsAt === undefined;
  const since = withState ? store.revision : (startsAt ?? store.revision);
  if (since < store.compactRevision) throw tooOld(since, store.compactRevision);
  // What cannot be converted is said before the watch begins, where that is possible.
  if (withState && resource.convert) await converting(resource, currentState(context, prefix, exactKey));

  return {
    type: 'stream',
    status: 200,
    contentType: representation.protobuf ? `${PROTOBUF_TYPE};stream=watch` : JSON_TYPE,
    start: (sink) => {
      const stream = new WatchStream(sink, {
        kind: resource.kind,
        representation,
        bookmarks: options.allowWatchBookmarks,
        timeoutSeconds: options.timeoutSeconds,
        revision: () => store.revision,
      });
      const push = (event: StoreEvent): void => {
        const seen = asSeen(resource, selection, event);
        if (seen) stream.push(seen);
      };
      const markEnd = options.sendInitialEvents === true;
      try {
        const found = withState ? currentState(context, prefix, exactKey) : [];
        const revision = store.revision;
        const from = withState ? revision : since;
        const begin = (): void => stream.begin(stateOf(resource, selection, found), markEnd, revision);
        if (resource.convert) {
          const fail = (error: unknown): void => stream.fail(statusOf(error));
          const events = new ConvertedEvents((all) => converting(resource, all), {
            push,
            fail,
            end: () => stream.end(),
          });
          const subscription = store.watch(
            prefix,
            from,
            (event) => events.push(event),
            () => stream.end(),
          );
          stream.follow(endedWith(context, events.behind(subscription), stream));
          Promise.resolve(converting(resource, found))
            .then(() => {
              begin();
              events.release();
            })
            .catch(fail);
        } else {
          begin();
          const subscription = store.watch(prefix, from, push, () => stream.end());
          stream.follow(endedWith(context, subscription, stream));
        }
      } catch (error) {
        if (!(error instanceof StoreCompacted)) {
          stream.close();
          throw error;
        }
        stream.fail(tooOld(since, store.compactRevision).status);
      }
      return () => stream.close();
    },
  };
}

/** Undefined: from the newest state. */
function startRevision(options: ListOptions): number | undefined {
  return options.resourceVersion === '' || options.resourceVersion === '0'
    ? undefined
    : parseResourceVersion(options.resourceVersion);
}

const tooOld = (revision: number, oldest: number) => expired(`too old resource version: ${revision} (${oldest})`);

const currentState = ({ core }: VerbContext, prefix: string, exactKey: boolean): Stored[] =>
  exactKey ? [core.store.get(prefix)].filter((stored) => stored !== undefined) : core.store.list(prefix);

function stateOf(resource: Resource, selection: Selection, found: readonly Stored[]): Stored[] {
  const items = found.map((stored) => asServed(resource, stored));
  return selection.matches ? items.filter(({ object }) => selection.matches?.(object)) : items;
}

/** An error as the last event of a watch tells it. */
const statusOf = (error: unknown): Status =>
  (error instanceof ApiError ? error : internalError((error as Error).message)).status;

/**
 * Ends the watch of a custom resource with several versions when its definition changes: from then on its objects may
 * be converted in another way. The client goes on with a new watch.
 */
function endedWith({ core, resource }: VerbContext, subscription: Subscription, stream: WatchStream): Subscription {
  if ((resource.schemas?.size ?? 0) < 2) return subscription;
  const { group, version, plural } = resource.kind;
  const stop = core.registry.onChange(() => {
    if (core.registry.find(group, version, plural) !== resource) stream.end();
  });
  return {
    get isCaughtUp() {
      return subscription.isCaughtUp;
    },
    close: () => {
      stop();
      subscription.close();
    },
  };
}

/** A change as a watcher with this selection sees it: entering the selection is ADDED, leaving it is DELETED. */
function asSeen(resource: Resource, selection: Selection, event: StoreEvent): StoreEvent | undefined {
  const current = asServed(resource, event.current);
  const { matches } = selection;
  if (!matches) return current === event.current ? event : { ...event, current };
  const isIn = event.type !== 'DELETED' && matches(current.object);
  const wasIn = event.previous !== undefined && matches(asServed(resource, event.previous).object);
  if (isIn) return { ...event, current, type: wasIn ? 'MODIFIED' : 'ADDED' };
  if (!wasIn) return undefined;
  if (event.type === 'DELETED') return { ...event, current };
  // What left the selection is shown as it last was inside, at the version of the change that took it out.
  const before = asServed(resource, event.previous as NonNullable<StoreEvent['previous']>);
  const metadata = { ...before.object.metadata, resourceVersion: String(event.revision) };
  const object = Object.freeze({ ...before.object, apiVersion: apiVersionOf(resource.kind), metadata });
  return {
    ...event,
    type: 'DELETED',
    current: { ...before, revision: event.revision, object, bytes: Buffer.from(JSON.stringify(object)) },
  };
}
