import { once } from 'node:events';
import { request } from 'node:https';
import type { Client } from '@vireo/kube';

const MIB = 1 << 20;

/** An upload of which the first half was sent. */
export interface HalfUpload {
  /** Whoever sends it goes away; what was sent must not count as a disk. */
  breakOff(): void;
}

/** Begins to upload a disk of one MiB to a claim, and stops in the middle. */
export async function halfUpload(client: Client, url: string, claim: string): Promise<HalfUpload> {
  const answer = (await client.call({
    method: 'POST',
    path: '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests',
    body: {
      apiVersion: 'upload.cdi.kubevirt.io/v1beta1',
      kind: 'UploadTokenRequest',
      metadata: { name: 'half', namespace: 'default' },
      spec: { pvcName: claim },
    },
  })) as { status: { token: string } };
  const sent = request(`${url}/v1beta1/upload`, {
    method: 'POST',
    rejectUnauthorized: false,
    agent: false,
    headers: { authorization: `Bearer ${answer.status.token}`, 'content-length': MIB },
  });
  // Its extension may die, too.
  const failed = once(sent, 'error');
  const written = new Promise<void>((resolve) => sent.write(Buffer.alloc(MIB / 2, 'half'), () => resolve()));
  const [problem] = (await Promise.race([failed, written.then(() => [])])) as [Error?];
  if (problem) throw problem;
  sent.on('error', () => {});
  return { breakOff: () => void sent.destroy() };
}
