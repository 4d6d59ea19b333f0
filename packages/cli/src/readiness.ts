const timeoutMs = 5_000;

/** Whether the server that a kubeconfig leads to says that it is ready. One that cannot be reached is not. */
export async function isReady(kubeconfig: string): Promise<boolean> {
  // Loaded here, so that the other commands start without it.
  const { httpTransport, loadKubeconfig } = await import('@vireo/kube');
  try {
    const transport = httpTransport({ ...(await loadKubeconfig({ path: kubeconfig })), timeoutMs });
    try {
      return (await transport.call({ method: 'GET', path: '/readyz' })).status === 200;
    } finally {
      await transport.close();
    }
  } catch {
    return false;
  }
}
