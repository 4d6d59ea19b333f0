import { deepEqual } from '@vireo/api/json.ts';
import { placeOf } from './ledger.ts';
import { SUBJECTS, widgetDefinition } from './subjects.ts';
import type { User } from './user.ts';
import type { Operation } from './writes.ts';

const own = (user: User): string => `soak.vireo.dev/owner=${user.name}`;

/** Reads, each compared with what the server has acknowledged to this client. */
export const READS: Readonly<Record<string, Operation>> = {
  get: async (user) => {
    const picked = user.pickOwn(({ subject }) => !subject.isControlled);
    if (!picked) return;
    const { name, namespace } = picked.object.metadata;
    const stored = await user.of(picked.subject).get(name, { namespace });
    if (!deepEqual(stored, picked.object)) throw new Error(`${placeOf(stored)} is not what was acknowledged`);
  },

  getMissing: (user) =>
    user.refused(404, user.of(user.random.pick(SUBJECTS)).get('never-made', { namespace: user.namespace })),

  list: async (user) => {
    const subject = user.random.pick(SUBJECTS);
    const places: string[] = [];
    const query = { namespace: user.namespace, labelSelector: own(user), limit: 3 };
    for await (const item of user.of(subject).listAll(query)) places.push(placeOf(item));
    const expected = [...user.own.values()]
      .filter((each) => each.subject === subject)
      .map(({ object }) => placeOf(object));
    if (!deepEqual(places.sort(), expected.sort()))
      throw new Error(`a list of ${subject.ref.plural} has ${places.join(', ')} instead of ${expected.join(', ')}`);
  },

  table: async (user) => {
    const { plural, group, version } = user.random.pick(SUBJECTS).ref;
    const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { status, body } = await user.client.transport.call({ method: 'GET', path: `${root}/${plural}`, accept });
    if (status !== 200 || (body as { kind?: string }).kind !== 'Table') throw new Error(`no table: ${status}`);
  },

  discovery: async (user) => {
    const path = user.random.pick(['/apis', '/api', '/openapi/v3', '/version', '/apis/apps/v1']);
    const { status } = await user.client.transport.call({ method: 'GET', path });
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  },

  /** A watch sees the writes that follow its start, in order. */
  watch: async (user) => {
    const subject = user.random.pick(SUBJECTS.filter(({ isControlled }) => !isControlled));
    const resources = user.of(subject);
    const select = { namespace: user.namespace, labelSelector: own(user) };
    const { metadata } = await resources.list(select);
    const stop = new AbortController();
    const events = await resources.watch({ ...select, resourceVersion: metadata.resourceVersion, signal: stop.signal });
    const object = user.wrote(subject, await resources.create(user.draft(subject)));
    const { name, namespace } = object.metadata;
    const patch = { metadata: { labels: { turn: 'watched' } } };
    user.wrote(subject, await resources.patch(name, patch, { namespace, type: 'merge' }));
    await resources.delete(name, { namespace, gracePeriodSeconds: 0 });
    user.removed({ subject, object });
    const seen: string[] = [];
    for await (const event of events) {
      if (event.type !== 'BOOKMARK') seen.push(event.type);
      if (event.type === 'DELETED' || event.type === 'ERROR') stop.abort();
    }
    if (seen.join() !== 'ADDED,MODIFIED,DELETED') throw new Error(`a watch of ${name} saw ${seen.join()}`);
  },

  /** A kind that comes and goes while others are served. */
  definition: async (user) => {
    const group = `g${user.random.between(0, 2 ** 31).toString(36)}.soak.vireo.dev`;
    const definitions = user.client.of({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
      plural: 'customresourcedefinitions',
      namespaced: false,
    });
    await definitions.create(widgetDefinition(group));
    const widgets = user.client.of({ group, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true });
    await untilServed(() => widgets.list({ namespace: user.namespace }));
    await widgets.create({ metadata: { name: 'one', namespace: user.namespace }, spec: { size: 3 } } as never);
    await user.refused(
      422,
      widgets.create({ metadata: { name: 'two', namespace: user.namespace }, spec: { size: 1000 } } as never),
    );
    await definitions.delete(`widgets.${group}`);
  },
};

/** A new kind is served when its definition is established. */
async function untilServed(call: () => Promise<unknown>): Promise<void> {
  while (
    !(await call().then(
      () => true,
      (error: { code?: number }) => error.code !== 404 && Promise.reject(error),
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 20));
}
