import { useEffect, useState } from 'react';
import type { Api } from '../../data/api.ts';
import { type OpenApi, type Schema, schemaOf } from '../../decisions/yaml/schema.ts';
import { useSession } from '../session.tsx';

const loaded = new WeakMap<Api, Map<string, Promise<OpenApi | undefined>>>();

/** Help for a kind from the server's OpenAPI, loaded when an editor opens; undefined before, and where there is none. */
export function useSchema(apiVersion: string, kind: string): Schema | undefined {
  const { api } = useSession().session;
  const [schema, setSchema] = useState<Schema>();
  useEffect(() => {
    let isLeft = false;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    void documentOf(api, group === '' ? `api/${version}` : `apis/${group}/${version}`).then((document) => {
      if (!isLeft) setSchema(document && schemaOf(document, group, version, kind));
    });
    return () => {
      isLeft = true;
    };
  }, [api, apiVersion, kind]);
  return schema;
}

function documentOf(api: Api, name: string): Promise<OpenApi | undefined> {
  const documents = loaded.get(api) ?? new Map<string, Promise<OpenApi | undefined>>();
  loaded.set(api, documents);
  const known = documents.get(name);
  if (known) return known;
  const loading = load(api, name).catch(() => {
    // A server that has none, or does not show it to this user, has no help; a later editor asks again.
    documents.delete(name);
    return undefined;
  });
  documents.set(name, loading);
  return loading;
}

async function load(api: Api, name: string): Promise<OpenApi | undefined> {
  const { paths } = await api.request<{ paths?: Record<string, { serverRelativeURL?: string }> }>('GET', '/openapi/v3');
  const address = paths?.[name]?.serverRelativeURL;
  return address?.startsWith('/openapi/v3/') ? api.request<OpenApi>('GET', address) : undefined;
}
