import { el } from '../xml.ts';
import { type Topic, virtioModel } from './conversion.ts';
import { ConversionError } from './error.ts';

export const GUEST_AGENT_CHANNEL = 'org.qemu.guest_agent.0';

/** The serial console, on a socket, with a log of everything that the guest prints. */
export const serial: Topic = ({ devices, context }) => {
  if (devices.autoattachSerialConsole === false) return [];
  const { serialSocket, serialLog } = context.paths;
  const logs = serialLog !== undefined && devices.logSerialConsole !== false;
  return [
    el(
      'serial',
      { type: 'unix' },
      el('source', { mode: 'bind', path: serialSocket }),
      logs && el('log', { file: serialLog, append: 'on' }),
      el('target', { port: 0 }),
    ),
  ];
};

/** The port on which a guest asks for metrics of its node, by vhostmd's name. */
const METRICS_CHANNEL = 'org.github.vhostmd.1';

/** The wire to the guest agent. */
export const agentChannel: Topic = (conversion) => {
  const { agentSocket } = conversion.context.paths;
  return [
    el('controller', { type: 'virtio-serial', index: 0, model: virtioModel(conversion) }),
    el(
      'channel',
      { type: 'unix' },
      agentSocket !== undefined && el('source', { mode: 'bind', path: agentSocket }),
      el('target', { type: 'virtio', name: GUEST_AGENT_CHANNEL }),
    ),
  ];
};

/** The wire on which the guest asks for metrics of its node; behind that to the agent, whose controller it shares. */
export const metricsChannel: Topic = ({ devices, context }) => {
  if (!devices.downwardMetrics) return [];
  const { metricsSocket } = context.paths;
  if (metricsSocket === undefined)
    throw new ConversionError('spec.domain.devices.downwardMetrics', 'this node has no metrics for guests');
  return [
    el(
      'channel',
      { type: 'unix' },
      el('source', { mode: 'bind', path: metricsSocket }),
      el('target', { type: 'virtio', name: METRICS_CHANNEL }),
    ),
  ];
};
