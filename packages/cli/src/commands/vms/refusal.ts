import { ApiError, type StatusDetails } from '@vireo/api';
import { errorCode, Failure } from '../../failure.ts';
import { programName } from '../../programName.ts';
import type { Connection } from './connection.ts';

/** Carries out a request; a refusal is told in virtctl's words, with what to do next. */
export async function orFail<T>(
  connection: Connection,
  words: (why: string) => string,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(words(reasonOf(error)), hintFor(error, connection), { cause: error });
  }
}

/** What to do about it, where there is something to do. */
function hintFor(error: unknown, { namespace, target }: Pick<Connection, 'namespace' | 'target'>): string | undefined {
  if (!(error instanceof ApiError)) {
    return `Is the server at ${target.server} running? To start it: ${programName} up`;
  }
  switch (error.code) {
    case 400:
    case 422:
      return undefined; // the message says what is wrong with the request
    case 401:
      return 'The server rejected the credentials. To see which are used: kubectl config view --minify';
    case 403:
      return `To see your permissions: kubectl auth can-i --list -n ${namespace}`;
    case 404:
      return notFoundHint(error.status.details, namespace);
    default:
      return `To see the state of the VM: kubectl get vm,vmi -n ${namespace}`;
  }
}

function notFoundHint({ kind = '', name }: StatusDetails = {}, namespace: string): string {
  if (!name) return `Does this server run VMs? To start one that does: ${programName} up`;
  const look = `To list VMs: kubectl get vm,vmi -n ${namespace}. To use another namespace: -n NAMESPACE.`;
  // Only a VM that runs has an instance.
  return kind.startsWith('virtualmachineinstance')
    ? `If it is stopped, start it: ${programName} start ${name} -n ${namespace}. ${look}`
    : look;
}

/** The innermost reason: transports wrap what the system said. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  if (error.cause instanceof Error && !(error instanceof ApiError)) return reasonOf(error.cause);
  return error.message || errorCode(error) || error.name;
}

/** Why a port of this host could not be had. */
export const cannotListen = (address: string, port: number, error: unknown): Failure =>
  new Failure(`cannot listen on ${address}:${port}: ${reasonOf(error)}`, 'Choose another port or --address.');
