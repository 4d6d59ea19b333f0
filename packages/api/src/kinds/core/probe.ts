import { type Infer, int32, int64, intOrString, list, opt, req, string, struct } from '../../schema.ts';

export const ExecAction = struct('io.k8s.api.core.v1.ExecAction', '', {
  command: opt(1, list(string, 'atomic')),
});
export interface ExecAction extends Infer<typeof ExecAction> {}

export const GRPCAction = struct('io.k8s.api.core.v1.GRPCAction', '', {
  port: req(1, int32),
  service: opt(2, string, { default: '' }),
});
export interface GRPCAction extends Infer<typeof GRPCAction> {}

export const HTTPHeader = struct('io.k8s.api.core.v1.HTTPHeader', '', {
  name: req(1, string),
  value: req(2, string),
});
export interface HTTPHeader extends Infer<typeof HTTPHeader> {}

export const HTTPGetAction = struct('io.k8s.api.core.v1.HTTPGetAction', '', {
  host: opt(3, string),
  httpHeaders: opt(5, list(HTTPHeader, 'atomic')),
  path: opt(1, string, { default: '/' }),
  port: req(2, intOrString),
  scheme: opt(4, string, { default: 'HTTP' }),
});
export interface HTTPGetAction extends Infer<typeof HTTPGetAction> {}

export const TCPSocketAction = struct('io.k8s.api.core.v1.TCPSocketAction', '', {
  host: opt(2, string),
  port: req(1, intOrString),
});
export interface TCPSocketAction extends Infer<typeof TCPSocketAction> {}

export const SleepAction = struct('io.k8s.api.core.v1.SleepAction', '', {
  seconds: req(1, int64),
});
export interface SleepAction extends Infer<typeof SleepAction> {}

export const Probe = struct('io.k8s.api.core.v1.Probe', '', {
  exec: opt([1, 1], ExecAction),
  failureThreshold: opt(6, int32, { default: 3 }),
  grpc: opt([1, 4], GRPCAction),
  httpGet: opt([1, 2], HTTPGetAction),
  initialDelaySeconds: opt(2, int32),
  periodSeconds: opt(4, int32, { default: 10 }),
  successThreshold: opt(5, int32, { default: 1 }),
  tcpSocket: opt([1, 3], TCPSocketAction),
  terminationGracePeriodSeconds: opt(7, int64),
  timeoutSeconds: opt(3, int32, { default: 1 }),
});
export interface Probe extends Infer<typeof Probe> {}

export const LifecycleHandler = struct('io.k8s.api.core.v1.LifecycleHandler', '', {
  exec: opt(1, ExecAction),
  httpGet: opt(2, HTTPGetAction),
  sleep: opt(4, SleepAction),
  tcpSocket: opt(3, TCPSocketAction),
});
export interface LifecycleHandler extends Infer<typeof LifecycleHandler> {}

export const Lifecycle = struct('io.k8s.api.core.v1.Lifecycle', '', {
  postStart: opt(1, LifecycleHandler),
  preStop: opt(2, LifecycleHandler),
  stopSignal: opt(3, string),
});
export interface Lifecycle extends Infer<typeof Lifecycle> {}
