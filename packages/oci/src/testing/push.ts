import { authorization, authorizationHeader } from '../registry/authorize.ts';
import type { Credentials } from '../registry/credentials.ts';
import { type HttpRequest, type HttpResponse, send } from '../registry/http.ts';
import type { TestImage } from './image.ts';

/** Puts an image into a registry over plain HTTP. */
export async function push(
  host: string,
  repository: string,
  tag: string,
  image: TestImage,
  credentials?: Credentials,
): Promise<void> {
  const registry = new URL(`http://${host}`);
  const asker = { registry, repository, credentials, actions: 'pull,push' };
  let authorized: string | undefined;
  const ask = async (url: URL, request: HttpRequest, wanted: number): Promise<HttpResponse> => {
    const once = () => send(url, { ...request, headers: { ...request.headers, ...authorizationHeader(authorized) } });
    let response = await once();
    if (response.status === 401) {
      authorized = await authorization(response.headers['www-authenticate'], asker);
      response = await once();
    }
    response.body.resume();
    if (response.status !== wanted) throw new Error(`${request.method} ${url}: ${response.status}, not ${wanted}`);
    return response;
  };
  const putManifest = (version: string, body: Buffer): Promise<unknown> => {
    const { mediaType } = JSON.parse(body.toString());
    const url = new URL(`/v2/${repository}/manifests/${version}`, registry);
    return ask(url, { method: 'PUT', body, headers: { 'content-type': mediaType } }, 201);
  };
  const isManifest = (bytes: Buffer): boolean => bytes.subarray(0, 18).equals(Buffer.from('{"schemaVersion":2'));
  const manifests = [...image.blobs].filter(([digest, bytes]) => digest !== image.root && isManifest(bytes));
  for (const [digest, body] of [...image.blobs].filter(([, bytes]) => !isManifest(bytes))) {
    const { headers } = await ask(new URL(`/v2/${repository}/blobs/uploads/`, registry), { method: 'POST' }, 202);
    const url = new URL(headers.location ?? '', registry);
    url.searchParams.set('digest', digest);
    await ask(url, { method: 'PUT', body, headers: { 'content-type': 'application/octet-stream' } }, 201);
  }
  for (const [digest, body] of manifests) await putManifest(digest, body);
  await putManifest(tag, image.blobs.get(image.root) ?? Buffer.alloc(0));
}
