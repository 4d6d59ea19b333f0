import type { ApiServer } from '@vireo/apiserver';
import { Metrics } from '@vireo/kube';

/** In place of a host: clients that call the server of their own process. */
export const IN_PROCESS = 'in-process';

/** The metrics of KubeVirt's components, which are parts of this process and served by its server. */
export function componentMetrics(api: ApiServer): { api: Metrics; controller: Metrics; handler: Metrics } {
  const register = (name: string): Metrics => {
    const metrics = new Metrics();
    api.components.set(name, metrics);
    return metrics;
  };
  const components = {
    api: register('virt-api'),
    controller: register('virt-controller'),
    handler: register('virt-handler'),
  };
  const operator = register('virt-operator');
  // All parts run in this process: while it answers, they are well. Whether its controllers lead they tell themselves.
  for (const [metrics, name, what] of [
    [components.api, 'virt_api_ready_status', 'a virt-api server that is ready to serve requests'],
    [operator, 'virt_operator_ready_status', 'a virt-operator that is ready to take the lead'],
    [operator, 'virt_operator_leading_status', 'an operating virt-operator'],
  ] as const)
    metrics.gauge(`kubevirt_${name}`, `Indication for ${what}.`, () => 1);
  return components;
}
