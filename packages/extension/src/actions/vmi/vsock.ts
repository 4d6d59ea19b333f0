import { badRequest } from '@vireo/api';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmiAction } from '../action.ts';

/** The number after the largest port means any. */
const LAST_PORT = 0xffff_fffe;
/** How Go reads booleans, and so KubeVirt. */
const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False', ''].map((word) => [word, false])),
};

export const vsock = vmiAction<unknown>({
  name: 'vsock',
  method: 'GET',
  minimumRole: 'none',
  isStream: true,
  query: [
    {
      name: 'port',
      type: 'integer',
      description: 'VSOCK port that a program in the guest listens on.',
      isRequired: true,
    },
    { name: 'tls', type: 'string', description: 'Whether the connection is encrypted; false by default.' },
  ],
  summary: 'Connects to a VSOCK port of the guest. The VMI needs `autoattachVSOCK`.',
  decide({ vmi }, { query }) {
    if (!vmi.spec.domain.devices.autoattachVSOCK) throw badRequest("VM doesn't have VSOCK enabled");
    const port = query.get('port') ?? '';
    if (!/^[1-9][0-9]{0,9}$/.test(port) || Number(port) > LAST_PORT)
      throw badRequest(`port ${JSON.stringify(port)} is not a number from 1 to ${LAST_PORT}`);
    const tls = query.get('tls') ?? '';
    if (!Object.hasOwn(BOOLEANS, tls)) throw badRequest(`tls ${JSON.stringify(tls)} is neither true nor false`);
    if (!isRunning(vmi)) throw badRequest('VMI is not running');
    return { type: 'stream', path: `vsock/${port}/${BOOLEANS[tls] ? 'tls' : 'plain'}`, sharing: 'parallel' };
  },
});
