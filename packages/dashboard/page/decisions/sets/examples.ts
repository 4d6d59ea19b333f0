import { GUEST } from '../create/images.ts';
import type { SetKind } from './set.ts';

/** A small Linux that any cluster with a way out can load. */
const PUBLIC_IMAGE = 'quay.io/kubevirt/cirros-container-disk-demo';

/** Lines of YAML, further to the right. */
const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

const specOf = (image: string): string => `domain:
  memory: { guest: 256Mi }
  devices:
    disks:
      - name: root
        disk: { bus: virtio }
    interfaces:
      - name: default
        masquerade: {}
networks:
  - name: default
    pod: {}
volumes:
  - name: root
    containerDisk: { image: ${image} }
`;

const named = ({ group, version, kind }: SetKind, name: string, namespace: string | undefined): string =>
  `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: ${name}
${namespace === undefined ? '' : `  namespace: ${namespace}\n`}spec:
  replicas: 2
  selector:
    matchLabels: { app: ${name} }
`;

/** A set to begin with, as a manifest that any cluster with KubeVirt takes. Only Vireo has an image of its own. */
export function exampleOf(kind: SetKind, { namespace, isVireo }: { namespace: string | undefined; isVireo: boolean }) {
  const spec = specOf(isVireo ? GUEST : PUBLIC_IMAGE);
  if (kind.id === 'replicaset')
    return `${named(kind, 'workers', namespace)}  template:
    metadata:
      labels: { app: workers }
    spec:
${indented(spec, 6)}`;
  return `${named(kind, 'desktops', namespace)}  virtualMachineTemplate:
    metadata:
      labels: { app: desktops }
    spec:
      runStrategy: Always
      template:
        metadata:
          labels: { app: desktops }
        spec:
${indented(spec, 10)}`;
}
