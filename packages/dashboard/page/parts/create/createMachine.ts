import type { Api } from '../../data/api.ts';
import { deleteExactly } from '../../data/deleteExactly.ts';
import type { KubeObject } from '../../data/kinds.ts';
import { Refused } from '../../data/refused.ts';
import { type Objects, vmName, vmNamespace } from '../../decisions/create/objects.ts';
import { type Problem, problemsIn } from '../../decisions/yaml/problems.ts';
import { isMapping } from '../../decisions/yaml/values.ts';

const vmsPath = (objects: Objects): string =>
  `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(vmNamespace(objects))}/virtualmachines`;
const secretsPath = (objects: Objects): string =>
  `/api/v1/namespaces/${encodeURIComponent(vmNamespace(objects))}/secrets`;

/** What the server says is wrong, without creating anything. */
export async function tryMachine(api: Api, objects: Objects, signal: AbortSignal): Promise<Problem[]> {
  const query = '?dryRun=All&fieldValidation=Strict';
  const ask = async (path: string, object: unknown, document: number): Promise<Problem[]> => {
    try {
      await api.request('POST', path + query, object, signal);
      return [];
    } catch (error) {
      return problemsOf(error).map((problem) => ({ ...problem, document }));
    }
  };
  const found = await Promise.all([
    ask(vmsPath(objects), objects.vm, 0),
    ...(objects.secret ? [ask(secretsPath(objects), objects.secret, 1)] : []),
  ]);
  return found.flat();
}

/**
 * Creates the VM, then the Secret that it waits for, which goes with it. If the Secret cannot be created, the VM is taken
 * back: it would wait for ever, or read what another Secret of that name says.
 */
export async function createMachine(api: Api, objects: Objects): Promise<void> {
  const path = vmsPath(objects);
  const created = await api.request<KubeObject>('POST', `${path}?fieldValidation=Strict`, objects.vm);
  if (!objects.secret) return;
  const name = vmName(objects);
  const { uid } = created.metadata;
  const metadata = isMapping(objects.secret.metadata) ? objects.secret.metadata : {};
  const ownerReferences = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid }];
  try {
    await api.request('POST', secretsPath(objects), { ...objects.secret, metadata: { ...metadata, ownerReferences } });
  } catch (error) {
    await deleteExactly(api, `${path}/${encodeURIComponent(name)}`, uid).catch(() => {});
    throw error;
  }
}

export const problemsOf = (error: unknown): Problem[] =>
  error instanceof Refused
    ? problemsIn(error.message, error.causes)
    : [{ message: error instanceof Error ? error.message : String(error) }];
