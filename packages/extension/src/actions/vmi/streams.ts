import { badRequest } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isPaused, isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Input, type Plan, vmAction, vmiAction } from '../action.ts';
import { requireReachable, vmConflict, vmiConflict } from '../refusals.ts';
import { BINARY } from '../responses.ts';

export const console = vmiAction<unknown>({
  name: 'console',
  method: 'GET',
  minimumRole: 'edit',
  isStream: true,
  summary:
    'Connects to the serial console. A new connection ends the previous one, with a message that names the new user.',
  decide({ vmi }) {
    if (vmi.spec.domain.devices.autoattachSerialConsole === false) throw badRequest('No serial consoles are present.');
    if (vmi.status?.phase === 'Failed') throw vmiConflict(vmi, 'VMI is in failed status');
    if (!isRunning(vmi)) throw badRequest('VMI is not running');
    return { type: 'stream', path: 'console', sharing: 'exclusiveConsole' };
  },
});

export const vnc = vmiAction<unknown>({
  name: 'vnc',
  method: 'GET',
  minimumRole: 'edit',
  isStream: true,
  summary: 'Connects to the screen over VNC. A new viewer ends the previous one unless it sets `preserveSession=true`.',
  decide({ vmi }, { query }) {
    requireScreen(vmi);
    const sharing = query.get('preserveSession') === 'true' ? 'exclusiveVncOrRefuse' : 'exclusiveVnc';
    return { type: 'stream', path: 'vnc', sharing };
  },
});

export const screenshot = vmiAction<unknown>({
  name: 'vnc/screenshot',
  method: 'GET',
  minimumRole: 'admin',
  summary: 'Returns a screenshot. `moveCursor=true` wakes a screen saver first.',
  response: { status: 200, schema: BINARY, contentType: 'image/png' },
  decide({ vmi }, { query }) {
    requireScreen(vmi);
    return { type: 'call', path: query.get('moveCursor') === 'true' ? 'screenshot?moveCursor=true' : 'screenshot' };
  },
});

export const usbRedirection = vmiAction<unknown>({
  name: 'usbredir',
  method: 'GET',
  minimumRole: 'edit',
  isStream: true,
  summary: 'Redirects a USB device to the guest over usbredir. The VMI needs `clientPassthrough`.',
  decide({ vmi }) {
    if (!vmi.spec.domain.devices.clientPassthrough)
      throw vmiConflict(vmi, 'Not configured with USB Redirection: devices.clientPassthrough is missing');
    if (!isRunning(vmi)) throw badRequest('VMI is not running');
    return { type: 'stream', path: 'usbredir', sharing: 'parallel' };
  },
});

const portForwarding = {
  name: 'portforward',
  method: 'GET',
  minimumRole: 'edit',
  isStream: true,
  parameters: ['port', 'protocol?'],
  summary: 'Connects to a port of the guest.',
} as const;

export const portForward = vmiAction<unknown>({
  ...portForwarding,
  decide: ({ vmi }, input) => forward(vmi, input),
});

export const portForwardOfVm = vmAction<unknown>({
  ...portForwarding,
  decide({ vm, vmi }, input) {
    if (!vm.status?.created || !vmi) throw vmConflict(vm, 'VMI is not started');
    return forward(vmi, input);
  },
});

function forward(vmi: Vmi, { parameters }: Input<unknown>): Plan {
  const { port = '', protocol = 'tcp' } = parameters;
  if (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > 65535)
    throw badRequest(`port ${JSON.stringify(port)} is not a number from 1 to 65535`);
  if (protocol !== 'tcp' && protocol !== 'udp')
    throw badRequest(`protocol ${JSON.stringify(protocol)} is neither tcp nor udp`);
  requireReachable(vmi);
  if (isPaused(vmi)) throw vmiConflict(vmi, 'VMI is paused');
  if ((vmi.status?.interfaces ?? []).length === 0) throw badRequest('VMI has no network interfaces');
  return { type: 'stream', path: `portforward/${port}/${protocol}`, sharing: 'parallel' };
}

function requireScreen(vmi: Vmi): void {
  if (vmi.spec.domain.devices.autoattachGraphicsDevice === false) throw badRequest('No graphics devices are present.');
  if (!isRunning(vmi)) throw badRequest('VMI is not running');
}
