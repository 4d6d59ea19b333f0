/**
 * What guests get as pod network: QEMU's user networking, or with VIREO_POD_NETWORK=routed an address of their own. The
 * latter is under construction, so it has to be asked for.
 */
export const podNetwork = (): 'routed' | 'user' => (process.env.VIREO_POD_NETWORK === 'routed' ? 'routed' : 'user');
