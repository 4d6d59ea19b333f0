import { readFile } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Vms } from '../vms/fixture.ts';

const TOKENS = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests';

/** A token for uploads to a claim, as virtctl asks for it. */
export async function tokenFor({ kubectl }: Vms, claim: string): Promise<string> {
  const apiVersion = 'upload.cdi.kubevirt.io/v1beta1';
  const request = { apiVersion, kind: 'UploadTokenRequest', spec: { pvcName: claim } };
  const answer = await kubectl.json<{ status: { token: string } }>(`create --raw ${TOKENS} -f -`, {
    input: JSON.stringify(request),
  });
  return answer.status.token;
}

/** Opens an upload of so many bytes; they are to be written. */
export async function beginUpload({ home, server }: Vms, token: string, length: number): Promise<ClientRequest> {
  const ca = await readFile(join(home(), 'pki/ca.crt'), 'utf8');
  const headers = { authorization: `Bearer ${token}`, 'content-length': length };
  return https.request(`https://127.0.0.1:${server().port}/v1beta1/upload`, { method: 'POST', ca, headers });
}

/** Sends all of it; the answer comes back. */
export async function sendUpload(vms: Vms, token: string, data: Buffer): Promise<{ status: number; body: string }> {
  const sending = await beginUpload(vms, token, data.length);
  return new Promise((resolve, reject) => {
    sending.once('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, body: await text(response) }),
    );
    sending.once('error', reject).end(data);
  });
}
