import { join } from 'node:path';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { LOOPBACK, type RunningServer, startServer } from '@vireo/apiserver';
import { startControlPlane } from '@vireo/cli/controlPlane.ts';
import { Archives } from '@vireo/extension/support/index.ts';
import { Client } from '@vireo/kube';
import { beforeAll } from 'vitest';
import { type Kubectl, kubectlFor, kubectlOf } from '../kubectl.ts';
import { temporaryHome } from '../vireo.ts';

/** A server with everything around VMs, whose VMs are stubs on a simulated node: no libvirt, no guests. */
export interface StubCluster {
  readonly kubectl: Kubectl;
  home(): string;
  port(): number;
  kubeconfig(): string;
  /** Where the extension listens for a front proxy. */
  extensionPort(): number;
}

/** Starts it before the tests of this file, and stops it after them. */
export function useStubCluster(): StubCluster {
  let running: { server: RunningServer; home: string; kubectl: Kubectl } | undefined;
  let extensionPort = 0;
  const current = () => {
    if (!running) throw new Error('the server runs only while tests do');
    return running;
  };
  beforeAll(async () => {
    const { home, remove } = await temporaryHome();
    const server = await startServer({
      home,
      port: 0,
      host: '127.0.0.1',
      extend: extendFor(home, (port) => {
        extensionPort = port;
      }),
    });
    running = { server, home, kubectl: kubectlFor(server.kubeconfig, join(home, 'kubectl-cache')) };
    return async () => {
      await server.close();
      await remove();
    };
  }, 120_000);
  return {
    kubectl: kubectlOf(() => current().kubectl),
    home: () => current().home,
    port: () => current().server.port,
    kubeconfig: () => current().server.kubeconfig,
    extensionPort: () => extensionPort,
  };
}

const extendFor =
  (home: string, onListening: (port: number) => void): NonNullable<Parameters<typeof startServer>[0]['extend']> =>
  async (api, step, port) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const support = { archives: new Archives(join(home, 'upgradelogs')) };
    const plane = await startControlPlane(
      { useEmulation: true, port, support, listener: { home, port: 0 } },
      api,
      step,
      signal,
    );
    onListening(plane.extensionPort ?? 0);
    const configuration = {
      hypervisorConfiguration: { name: 'stub' },
      developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
    };
    const at = { namespace: 'kubevirt', type: 'merge' } as const;
    await new Client(api.transportFor(LOOPBACK)).of(KubeVirt).patch('kubevirt', { spec: { configuration } }, at);
    const simulation = await plane.simulate(1);
    return async () => {
      stopping.abort();
      await Promise.all([plane.ended, simulation.ended]);
    };
  };
