import type { TabProps } from '../../pages/Machine.tsx';
import { ObjectGraph } from './ObjectGraph.tsx';

/** What a machine depends on. Both its objects are watched: the graph follows them without polling. */
export default function Graph({ machine, vm, vmi }: TabProps) {
  const { namespace, name, isVm } = machine;
  const resource = isVm ? 'virtualmachines' : 'virtualmachineinstances';
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/objectgraph`;
  const version = `${vm?.metadata.resourceVersion ?? ''} ${vmi?.metadata.resourceVersion ?? ''}`;
  return <ObjectGraph machine={machine} path={path} version={version} />;
}
