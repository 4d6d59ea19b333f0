import { join } from 'node:path';

/** Where the programs of one control plane find each other. */
export interface Layout {
  readonly directory: string;
  /** Of the host, as nodes and extensions reach it. */
  readonly address: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly minor: number;
}

const pair = (option: string, directory: string, name: string): string[] => [
  `--${option}-cert-file=${directory}/${name}.crt`,
  `--${option}-key-file=${directory}/${name}.key`,
];

/** Flags of etcd, which has no peers. */
export const etcdFlags = ({ directory, etcdPort }: Layout): string[] => [
  `--data-dir=${directory}/etcd`,
  `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
  `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
  '--listen-peer-urls=http://127.0.0.1:0',
];

/** Flags of kube-apiserver: kubeadm's, and those that reach an extension without kube-proxy. */
export function apiserverFlags({ directory, address, port, etcdPort }: Layout): string[] {
  const pki = join(directory, 'pki');
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--advertise-address=${address}`,
    '--bind-address=0.0.0.0',
    `--secure-port=${port}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--enable-bootstrap-token-auth=true',
    '--allow-privileged=true',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    ...pair('proxy-client', pki, 'front-proxy-client'),
    '--enable-aggregator-routing=true',
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
    `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
    '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
  ];
}

/** Flags of kube-controller-manager. */
export function controllerManagerFlags(layout: Layout, signingDuration?: string): string[] {
  const pki = join(layout.directory, 'pki');
  return [
    ...commonFlags(layout, 'controller-manager'),
    `--client-ca-file=${pki}/ca.crt`,
    `--root-ca-file=${pki}/ca.crt`,
    ...pair('cluster-signing', pki, 'ca'),
    ...(signingDuration ? [`--cluster-signing-duration=${signingDuration}`] : []),
    `--service-account-private-key-file=${pki}/sa.key`,
    '--use-service-account-credentials=true',
    '--controllers=*,bootstrapsigner,tokencleaner',
  ];
}

/** Flags of kube-scheduler. */
export const schedulerFlags = (layout: Layout): string[] => commonFlags(layout, 'scheduler');

/** Neither of them serves anything here, so that they need no ports. Old ones have a second one, without TLS. */
function commonFlags({ directory, minor }: Layout, name: string): string[] {
  const kubeconfig = join(directory, `${name}.conf`);
  return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...(minor < 24 ? ['--port=0'] : [])];
}
