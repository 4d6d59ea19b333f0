import { FigureService, type Told, type Wanted } from '../../src/figures/service.ts';
import { clusterSource } from '../../src/figures/source.ts';
import type { Api } from './api.ts';
import { askFirst } from './askFirst.ts';
import { type Feed, FiguresSocket } from './figuresSocket.ts';
import type { Rights } from './rights.ts';
import type { Session } from './session.ts';

const feeds = new WeakMap<Api, Feed>();

/** The figures of a session: sampled by `vireo dashboard` if the page comes from there, else by the page itself. */
export function feedOf({ api, rights, mode }: Pick<Session, 'api' | 'rights' | 'mode'>): Feed {
  const known = feeds.get(api);
  if (known) return known;
  const feed =
    mode === 'local'
      ? new FiguresSocket(() => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/dashboard/figures`))
      : samplingFeed(api, rights);
  feeds.set(api, feed);
  return feed;
}

function samplingFeed(api: Api, rights: Rights): Feed {
  const now = (): number => Date.now();
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  };
  const read = async (path: string, signal: AbortSignal): Promise<string> => {
    if (path.startsWith('/metrics?')) await rights.expectPath('/metrics');
    else await askFirst(rights, path, true);
    return (await api.fetch(path, { signal })).text();
  };
  return new FigureService({ source: clusterSource({ read }, now), clock: { now, after }, isFrugal: true });
}

/** Follows figures while the page can be seen: nothing is sampled for a tab in the background. */
export function followWhileVisible(feed: Feed, wanted: Wanted, tell: (told: Told) => void): () => void {
  let leave: (() => void) | undefined;
  const update = (): void => {
    if (document.visibilityState === 'visible') leave ??= feed.follow(wanted, tell);
    else {
      leave?.();
      leave = undefined;
    }
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    leave?.();
  };
}
