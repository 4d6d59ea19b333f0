import type { TokenRequest, UnknownObject } from '@vireo/api';
import { type ApiResponse, type NodeLogs, objectResponse } from '@vireo/kube';
import type { Lookup as AuthLookup } from '../auth/lookup.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { VerbContext } from '../core.ts';
import { tokenRequest } from '../rbac/tokenRequest.ts';
import { negotiate } from '../representation.ts';
import { admitAction } from '../verbs/admitAction.ts';
import { deleteObject } from '../verbs/delete.ts';
import { checkedDeleteOptions } from '../verbs/deleteOptions.ts';
import { readBodyAs } from '../verbs/draft.ts';
import { current, get } from '../verbs/get.ts';
import { writeOptions } from '../verbs/options.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import { nodeProxy } from './nodeProxy.ts';
import { bindPod, type EvictionGate, evictPod, noContainerStreams, podLog } from './pods.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { type SubresourceHandler, SubresourceTable } from './table.ts';

export interface SubresourceParts {
  readonly tokens: Tokens;
  readonly authLookup: AuthLookup;
  readonly evictionGate: EvictionGate;
  readonly connectionTo: (nodeName: string) => NodeLogs | undefined;
}

/** What is served below objects. */
export function builtinSubresources(parts: SubresourceParts): SubresourceTable {
  const table = new SubresourceTable();
  const readAndWrite = { get, update, patch };
  table.add('*', 'status', readAndWrite);
  table.add('*', 'scale', {
    get: negotiated(getScale),
    update: negotiated(updateScale),
    patch: negotiated(patchScale),
  });
  table.add('/pods', 'binding', { create: negotiated(bindPod) });
  table.add('/pods', 'eviction', { create: negotiated(evictPod(parts.evictionGate, evict)) });
  table.add('/pods', 'log', { get: podLog(parts.connectionTo) });
  table.add('/nodes', 'proxy', { get: nodeProxy(parts.connectionTo) });
  table.add('/pods', 'ephemeralcontainers', readAndWrite);
  table.add('/pods', 'resize', readAndWrite);
  for (const name of ['exec', 'attach', 'portforward'])
    table.add('/pods', name, { get: noContainerStreams, create: noContainerStreams });
  table.add('/namespaces', 'finalize', { update });
  table.add('/serviceaccounts', 'token', {
    create: negotiated((context) => createToken(context, parts)),
  });
  table.add('certificates.k8s.io/certificatesigningrequests', 'approval', readAndWrite);
  return table;
}

/** For what answers with a kind of its own: nothing is done for a client that could not read the response. */
const negotiated =
  (handler: SubresourceHandler): SubresourceHandler =>
  async (context) => {
    const { headers, query } = context.request;
    negotiate(headers.accept, query, { noTable: true });
    return handler(context);
  };

async function evict(context: VerbContext, options: UnknownObject): Promise<void> {
  const { info } = context;
  await deleteObject({ ...context, info: { ...info, subresource: '' } }, info.name, checkedDeleteOptions(options), []);
}

async function createToken(context: VerbContext, { tokens, authLookup }: SubresourceParts): Promise<ApiResponse> {
  const account = current(context).object;
  const { fieldValidation, dryRun } = writeOptions(context.request.query, 'CreateOptions');
  const { object, warnings } = await readBodyAs(context.request, 'TokenRequest', fieldValidation);
  const action = { kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, object, dryRun };
  const warn = (text: string): void => void warnings.push(text);
  const response = await admitAction(context, action, warnings, async () =>
    tokenRequest(account, object as unknown as TokenRequest, { tokens, lookup: authLookup, warn }),
  );
  return objectResponse({ ...response, kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' }, 201, {
    warnings,
  });
}
