import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import type { Kubectl } from '../kubectl.ts';

/** What an interface of a VMI has received and sent, as metrics tell it, in bytes. */
export async function traffic(
  kubectl: Kubectl,
  vmi: string,
  iface: string,
): Promise<{ received: number; sent: number }> {
  const metrics = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
  const of = (name: string): number =>
    metrics
      .get(`kubevirt_vmi_network_${name}_bytes_total`)
      ?.samples.find(({ labels }) => labels.name === vmi && labels.interface === iface)?.value ?? Number.NaN;
  return { received: of('receive'), sent: of('transmit') };
}
