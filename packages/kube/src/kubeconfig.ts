import { writeFile } from 'node:fs/promises';
export async function writeKubeconfig(file: string, o: { server: string; caPem: string; certPem: string; keyPem: string; name: string }) {
  const b = (s: string) => Buffer.from(s).toString('base64');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': o.name, clusters: [{ name: o.name, cluster: { server: o.server, 'certificate-authority-data': b(o.caPem) } }], users: [{ name: o.name, user: { 'client-certificate-data': b(o.certPem), 'client-key-data': b(o.keyPem) } }], contexts: [{ name: o.name, context: { cluster: o.name, user: o.name } }] }), { mode: 0o600 });
}
