import { type KubeObject, Node } from '@vireo/api';

/** As kubelet names its node in events: the name stands for the uid, by which `kubectl describe node` finds them. */
export const nodeReference = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: Node.kind,
  metadata: { name, uid: name },
});
