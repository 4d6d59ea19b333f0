import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { parse } from 'yaml';

const timeoutMs = 5_000;

/** Whether the server on this port says that it is ready. Its certificate must come from the kubeconfig's authority. */
export function isReady(port: number, kubeconfig: string): Promise<boolean> {
  const ca = certificateAuthority(kubeconfig);
  if (!ca) return Promise.resolve(false);
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path: '/readyz', ca, timeout: timeoutMs, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.once('timeout', () => request.destroy(new Error('timed out')));
    request.once('error', () => resolve(false));
  });
}

function certificateAuthority(kubeconfig: string): Buffer | undefined {
  try {
    const data: unknown = parse(readFileSync(kubeconfig, 'utf8'))?.clusters?.[0]?.cluster?.[
      'certificate-authority-data'
    ];
    return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
  } catch {
    return undefined;
  }
}
