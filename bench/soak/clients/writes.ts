import { deepEqual } from '@vireo/api/json.ts';
import { SUBJECTS, type Subject } from './subjects.ts';
import type { Own, User } from './user.ts';

/** Something that a client does: what the server must answer is part of it. */
export type Operation = (user: User) => Promise<void>;

const MOST_OBJECTS = 12;

/** Does something with an object of the user's own; makes one where there is none. */
const withOwn =
  (act: (user: User, own: Own) => Promise<void>, fits: (own: Own) => boolean = () => true): Operation =>
  async (user) => {
    const own = user.pickOwn(fits);
    await (own ? act(user, own) : createOne(user));
  };

const createOne: Operation = async (user) => {
  if (user.own.size >= MOST_OBJECTS) return deleteOne(user);
  const subject = user.random.pick(SUBJECTS);
  user.wrote(subject, await user.of(subject).create(user.draft(subject), { fieldManager: user.name }));
};

const deleteOne = withOwn(async (user, own) => {
  await user.of(own.subject).deleteExactly(own.object, { gracePeriodSeconds: 0 });
  await gone(user, own);
});

/** A VM goes when its controller has let go of it, everything else at once. */
async function gone(user: User, own: Own): Promise<void> {
  if (own.subject.isControlled) return untilGone(user, own);
  const { name, namespace } = own.object.metadata;
  if (await user.of(own.subject).find(name, { namespace })) throw new Error(`${name} is there after its deletion`);
  user.removed(own);
}

async function untilGone(user: User, own: Own): Promise<void> {
  const { name, namespace } = own.object.metadata;
  while (await user.of(own.subject).find(name, { namespace })) await new Promise((resolve) => setTimeout(resolve, 50));
  user.removed(own);
}

/** The object as it is now: of one that controllers write to, only they know. */
async function current(user: User, { subject, object }: Own): Promise<Own['object']> {
  const { name, namespace } = object.metadata;
  const stored = await user.of(subject).get(name, { namespace });
  if (!subject.isControlled && !deepEqual(stored, object))
    throw new Error(`${subject.ref.kind} ${name} is not what was acknowledged`);
  return stored;
}

const retried = (subject: Subject): boolean => !subject.isControlled;

/** Writes to objects of one's own, each with the one right answer. */
export const WRITES: Readonly<Record<string, Operation>> = {
  create: createOne,

  createInDryRun: async (user) => {
    const subject = user.random.pick(SUBJECTS);
    await user.of(subject).create(user.draft(subject), { dryRun: true });
  },

  createAgain: withOwn(async (user, { subject, object }) => {
    const again = { ...user.draft(subject), metadata: { name: object.metadata.name, namespace: user.namespace } };
    await user.refused(409, user.of(subject).create(again));
  }),

  createInvalid: async (user) => {
    const subject = user.random.pick(SUBJECTS);
    const { metadata, ...rest } = user.draft(subject);
    await user.refused(422, user.of(subject).create({ ...rest, metadata: { ...metadata, name: 'Not_A_Name' } }));
  },

  update: withOwn(
    async (user, own) => {
      const object = await current(user, own);
      const labels = { ...object.metadata.labels, turn: String(user.random.between(0, 1e6)) };
      const changed = { ...object, metadata: { ...object.metadata, labels } };
      user.wrote(own.subject, await user.of(own.subject).update(changed, { fieldManager: user.name }));
    },
    ({ subject }) => retried(subject),
  ),

  updateStale: withOwn(async (user, { subject, object }) => {
    const stale = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
    await user.refused(409, user.of(subject).update(stale));
  }),

  mergePatch: withOwn(async (user, { subject, object }) => {
    const { name, namespace } = object.metadata;
    const options = { namespace, type: 'merge', fieldManager: user.name } as const;
    user.wrote(subject, await user.of(subject).patch(name, subject.change(user.random), options));
  }),

  strategicPatch: withOwn(
    async (user, { subject, object }) => {
      const { name, namespace } = object.metadata;
      user.wrote(
        subject,
        await user.of(subject).patch(name, subject.change(user.random), { namespace, type: 'strategic' }),
      );
    },
    ({ subject }) => subject.isBuiltIn,
  ),

  jsonPatch: withOwn(async (user, { subject, object }) => {
    const { name, namespace } = object.metadata;
    const patch = [{ op: 'add', path: '/metadata/labels/turn', value: String(user.random.between(0, 1e6)) }];
    user.wrote(subject, await user.of(subject).patch(name, patch, { namespace, type: 'json' }));
  }),

  apply: withOwn(async (user, { subject, object }) => {
    const { apiVersion, kind } = object;
    const { name, namespace } = object.metadata;
    const annotations = { [`soak.vireo.dev/${user.random.pick(['a', 'b', 'c'])}`]: 'applied' };
    const configuration = { apiVersion, kind, metadata: { name, namespace, annotations } };
    const options = { namespace, type: 'apply', fieldManager: 'applier' } as const;
    user.wrote(subject, await user.of(subject).patch(name, configuration, options));
  }),

  patchStatus: withOwn(
    async (user, { subject, object }) => {
      const { name, namespace } = object.metadata;
      const status = subject.status?.(user.random);
      user.wrote(subject, await user.of(subject).patchStatus(name, status, { namespace, type: 'merge' }));
    },
    ({ subject }) => subject.status !== undefined,
  ),

  scale: withOwn(
    async (user, own) => {
      const { name, namespace } = own.object.metadata;
      const patch = { spec: { replicas: user.random.between(0, 9) } };
      await user.of(own.subject).patch(name, patch, { namespace, type: 'merge', subresource: 'scale' });
      user.wrote(own.subject, await user.of(own.subject).get(name, { namespace }));
    },
    ({ subject }) => subject.hasScale === true,
  ),

  delete: deleteOne,

  deleteAnother: withOwn(async (user, { subject, object }) => {
    const { name, namespace } = object.metadata;
    const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
    await user.refused(409, user.of(subject).delete(name, { namespace, preconditions }));
  }),

  deleteWithFinalizer: async (user) => {
    const subject = user.random.pick(SUBJECTS.filter(({ isControlled }) => !isControlled));
    const made = user.draft(subject);
    const resources = user.of(subject);
    const metadata = { ...made.metadata, finalizers: ['soak.vireo.dev/wait'] };
    const object = user.wrote(subject, await resources.create({ ...made, metadata }));
    await resources.deleteExactly(object, { gracePeriodSeconds: 0 });
    const { name, namespace } = object.metadata;
    const dying = user.wrote(subject, await resources.get(name, { namespace }));
    if (!dying.metadata.deletionTimestamp) throw new Error(`${name} has no deletionTimestamp`);
    await resources.patchIfUnchanged(dying, { metadata: { finalizers: null } });
    await gone(user, { subject, object: dying });
  },

  /** The garbage collector deletes what belonged to the deleted. */
  deleteOwner: async (user) => {
    const subject = user.random.pick(SUBJECTS.filter(({ isControlled }) => !isControlled));
    const owner = user.wrote(subject, await user.of(subject).create(user.draft(subject)));
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    const made = user.draft(subject);
    const dependent = await user.of(subject).create({ ...made, metadata: { ...made.metadata, ownerReferences } });
    user.wrote(subject, dependent);
    await user.of(subject).deleteExactly(owner, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    await gone(user, { subject, object: owner });
    await untilGone(user, { subject, object: dependent });
  },

  deleteCollection: async (user) => {
    const subject = user.random.pick(SUBJECTS.filter(({ isControlled }) => !isControlled));
    const labelSelector = `soak.vireo.dev/owner=${user.name}`;
    await user.of(subject).deleteCollection({ namespace: user.namespace, labelSelector });
    for (const own of [...user.own.values()].filter((each) => each.subject === subject)) await gone(user, own);
  },
};
