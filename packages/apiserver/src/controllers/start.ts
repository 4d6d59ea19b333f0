import { Client, consoleLog, EventRecorder, Informers, withFields } from '@vireo/kube';
import type { ApiServer } from '../apiServer.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../auth/serviceAccount.ts';
import type { UserInfo } from '../request.ts';
import { SCHEDULER_USER, startScheduler } from '../scheduler/index.ts';
import { startApiServiceController } from './apiService/index.ts';
import type { ControllerContext } from './context.ts';
import { startCrdController } from './crd/index.ts';

type Start = (context: ControllerContext, signal: AbortSignal) => Promise<void>;

/** Starts every controller of the server, each as its own user. Resolves when all have ended. */
export function startControllers(
  server: ApiServer,
  options: { readonly caPem: string },
  signal: AbortSignal,
): { ended: Promise<void>; synced: Promise<void> } {
  const { registry } = server.core;
  const all: readonly (readonly [UserInfo, Start])[] = [
    [
      controller('customresourcedefinition-controller'),
      (context, stop) => startCrdController({ ...context, registry }, stop),
    ],
    [
      controller('apiservice-controller'),
      (context, stop) => startApiServiceController({ ...context, registry, services: server.services }, stop),
    ],
    [{ username: SCHEDULER_USER, groups: ['system:authenticated'] }, startScheduler],
  ];
  const running = all.map(([user, start]) => {
    const client = new Client(server.transportFor(user));
    const informers = new Informers(client);
    const recorder = new EventRecorder(client, { component: user.username.split(':').at(-1) as string });
    const ended = start({ client, informers, recorder, log: withFields(consoleLog, { user: user.username }) }, signal);
    informers.start(signal);
    return { ended, synced: informers.whenSynced() };
  });
  return {
    ended: Promise.all(running.map(({ ended }) => ended)).then(() => undefined),
    synced: Promise.all(running.map(({ synced }) => synced)).then(() => undefined),
  };
}

function controller(name: string): UserInfo {
  return {
    username: serviceAccountUsername('kube-system', name),
    groups: [...serviceAccountGroups('kube-system'), 'system:authenticated'],
  };
}
