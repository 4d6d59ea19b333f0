import { type Infer, int32, struct } from '../../schema.ts';
import { ExecAction, HTTPGetAction, TCPSocketAction } from '../core/probe.ts';
import { optional, withoutDefaults } from '../customResource.ts';

export const GuestAgentPing = struct('io.kubevirt.v1.GuestAgentPing', 'Pings the QEMU guest agent.', {});
export interface GuestAgentPing extends Infer<typeof GuestAgentPing> {}

export const Probe = struct(
  'io.kubevirt.v1.Probe',
  'A health check of the guest. Set one of exec, guestAgentPing, httpGet and tcpSocket.',
  {
    exec: optional(ExecAction, 'Command to run in the guest through the guest agent.'),
    failureThreshold: optional(
      int32,
      'Number of failures in a row after which the probe counts as failed. Defaults to 3.',
    ),
    guestAgentPing: optional(GuestAgentPing, 'Ping the QEMU guest agent.'),
    httpGet: optional(withoutDefaults(HTTPGetAction), 'HTTP request to send to the guest.'),
    initialDelaySeconds: optional(int32, 'Seconds between the start of the guest and the first probe.'),
    periodSeconds: optional(int32, 'Seconds between probes. Defaults to 10.'),
    successThreshold: optional(
      int32,
      'Number of successes in a row after which the probe counts as successful. Defaults to 1.',
    ),
    tcpSocket: optional(TCPSocketAction, 'A port of the guest to connect to.'),
    timeoutSeconds: optional(int32, 'Seconds after which a probe times out. Defaults to 1.'),
  },
);
export interface Probe extends Infer<typeof Probe> {}
