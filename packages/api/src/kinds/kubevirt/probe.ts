import { type Infer, int32, struct } from '../../schema.ts';
import { ExecAction, HTTPGetAction, TCPSocketAction } from '../core/probe.ts';
import { optional, withoutDefaults } from '../customResource.ts';

export const GuestAgentPing = struct('io.kubevirt.v1.GuestAgentPing', 'Pings the QEMU guest agent.', {});
export interface GuestAgentPing extends Infer<typeof GuestAgentPing> {}

export const Probe = struct(
  'io.kubevirt.v1.Probe',
  'A health check of the guest. Set one of exec, guestAgentPing, httpGet and tcpSocket.',
  {
    exec: optional(ExecAction, 'A command to run in the guest by its agent.'),
    failureThreshold: optional(int32, 'Failures in a row that count as failed; 3 when missing.'),
    guestAgentPing: optional(GuestAgentPing, 'Ask the guest agent whether it is alive.'),
    httpGet: optional(withoutDefaults(HTTPGetAction), 'A request to make to the guest.'),
    initialDelaySeconds: optional(int32, 'Seconds between the start of the guest and the first probe.'),
    periodSeconds: optional(int32, 'Seconds from one probe to the next; 10 when missing.'),
    successThreshold: optional(int32, 'Successes in a row that count as well; 1 when missing.'),
    tcpSocket: optional(TCPSocketAction, 'A port of the guest to connect to.'),
    timeoutSeconds: optional(int32, 'Seconds that a probe may take; 1 when missing.'),
  },
);
export interface Probe extends Infer<typeof Probe> {}
