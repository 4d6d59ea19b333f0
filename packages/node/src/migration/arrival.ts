import type { DomainState } from '@vireo/libvirt';

/** Why libvirt has a domain stand still whose guest is not here yet. */
const ON_ITS_WAY = ['migration', 'starting-up'];

/** Whether a domain has its guest: until a migration has brought it, libvirt has the domain wait. */
export const hasArrived = (domain: DomainState | undefined): boolean =>
  domain !== undefined &&
  !['shutoff', 'crashed', 'nostate'].includes(domain.state) &&
  !(domain.state === 'paused' && ON_ITS_WAY.includes(domain.reason)) &&
  !POST_COPY.includes(domain.reason);

/**
 * Whether a guest whose move has begun may have left its source: all but one that runs, since QEMU stops a guest before it
 * leaves. One that stood still before keeps the state that it had, whatever became of it.
 */
export const mayHaveLeft = ({ state }: DomainState): boolean => state !== 'running';

/** Whether libvirt has a guest stand still because it moves: one that its user has paused before has another reason. */
export const isStoppedToMove = ({ state, reason }: DomainState): boolean =>
  state === 'paused' && reason === 'migration';

/** Whether a guest stands still for another reason than a move, and is to stand still where it comes to. */
export const isKeptPaused = (domain: DomainState): boolean => domain.state === 'paused' && !isStoppedToMove(domain);

/** Why a guest is not to be moved as it is; undefined where nothing stands in the way. */
export const whyNotMove = ({ state, reason }: DomainState): string | undefined =>
  state === 'paused' && reason === 'io-error'
    ? 'the guest is paused because of an I/O error of a disk: it can move when it runs again'
    : undefined;

/** Why a domain has a part of its guest: the rest is on its way by post-copy, or does not come any more. */
const POST_COPY = ['postcopy', 'postcopy-failed'];

/** Whether a guest runs at its target while the rest of its memory comes after it. */
export const isComingByPostCopy = (domain: DomainState | undefined): boolean =>
  domain?.state === 'running' && domain.reason === 'postcopy';

/** Whether a guest has left its source by post-copy: it cannot go on there, whatever becomes of it. */
export const hasLeftByPostCopy = ({ state, reason }: DomainState): boolean =>
  state === 'paused' && POST_COPY.includes(reason);

/** What is said of a guest of which one half is on each node, for good. */
export const LOST_IN_POST_COPY =
  'the guest is lost: the connection between the nodes broke in post-copy, when it ran on the target without all of its memory';
