import { type Infer, int32, int64, intOrString, list, opt, req, string, struct } from '../../schema.ts';

export const ExecAction = struct('io.k8s.api.core.v1.ExecAction', 'Runs a command in the container.', {
  command: opt(1, list(string, 'atomic'), 'The command and its arguments; no shell is involved.'),
});
export interface ExecAction extends Infer<typeof ExecAction> {}

export const GRPCAction = struct('io.k8s.api.core.v1.GRPCAction', 'Calls the gRPC health service of the container.', {
  port: req(1, int32, 'Port of the service.'),
  service: opt(2, string, { default: '', pointer: true, doc: 'Name of the service to check.' }),
});
export interface GRPCAction extends Infer<typeof GRPCAction> {}

export const HTTPHeader = struct('io.k8s.api.core.v1.HTTPHeader', 'A header of an HTTP request.', {
  name: req(1, string, 'Name of the header.'),
  value: req(2, string, 'Value of the header.'),
});
export interface HTTPHeader extends Infer<typeof HTTPHeader> {}

export const HTTPGetAction = struct('io.k8s.api.core.v1.HTTPGetAction', 'Sends an HTTP GET request.', {
  host: opt(3, string, "Host to connect to. Defaults to the pod's address."),
  httpHeaders: opt(5, list(HTTPHeader, 'atomic'), 'Headers to send with the request.'),
  path: opt(1, string, { default: '/', doc: 'Path of the request.' }),
  port: req(2, intOrString, 'Number or name of the port.'),
  scheme: opt(4, string, { default: 'HTTP', doc: 'Scheme of the request: HTTP or HTTPS. Defaults to HTTP.' }),
});
export interface HTTPGetAction extends Infer<typeof HTTPGetAction> {}

export const TCPSocketAction = struct(
  'io.k8s.api.core.v1.TCPSocketAction',
  'Opens a TCP connection to the container.',
  {
    host: opt(2, string, "Host to connect to. Defaults to the pod's address."),
    port: req(1, intOrString, 'Number or name of the port.'),
  },
);
export interface TCPSocketAction extends Infer<typeof TCPSocketAction> {}

export const SleepAction = struct('io.k8s.api.core.v1.SleepAction', 'Waits for a number of seconds.', {
  seconds: req(1, int64, 'Number of seconds to wait.'),
});
export interface SleepAction extends Infer<typeof SleepAction> {}

export const Probe = struct('io.k8s.api.core.v1.Probe', 'A health check of a container.', {
  exec: opt([1, 1], ExecAction, 'Succeeds when the command exits with 0.'),
  failureThreshold: opt(6, int32, { default: 3, doc: 'Failures in a row that count as failed.' }),
  grpc: opt([1, 4], GRPCAction, 'Succeeds when the gRPC health service says so.'),
  httpGet: opt([1, 2], HTTPGetAction, 'Succeeds with a status from 200 to 399.'),
  initialDelaySeconds: opt(2, int32, 'Seconds after the start before the first check.'),
  periodSeconds: opt(4, int32, { default: 10, doc: 'Seconds between probes. Defaults to 10.' }),
  successThreshold: opt(5, int32, { default: 1, doc: 'Successes in a row that count as good again.' }),
  tcpSocket: opt([1, 3], TCPSocketAction, 'Succeeds when the port accepts a connection.'),
  terminationGracePeriodSeconds: opt(7, int64, {
    pointer: true,
    doc: 'Seconds that the container has to terminate after a failed probe. Defaults to those of the pod.',
  }),
  timeoutSeconds: opt(3, int32, { default: 1, doc: 'Seconds after which a check counts as failed.' }),
});
export interface Probe extends Infer<typeof Probe> {}

export const LifecycleHandler = struct(
  'io.k8s.api.core.v1.LifecycleHandler',
  'Action at a lifecycle event of a container. Set exactly one field.',
  {
    exec: opt(1, ExecAction, 'Runs a command in the container.'),
    httpGet: opt(2, HTTPGetAction, 'Send an HTTP GET request.'),
    sleep: opt(4, SleepAction, 'Wait for a number of seconds.'),
    tcpSocket: opt(3, TCPSocketAction, 'No longer supported. Use httpGet or exec.'),
  },
);
export interface LifecycleHandler extends Infer<typeof LifecycleHandler> {}

export const Lifecycle = struct(
  'io.k8s.api.core.v1.Lifecycle',
  'Actions after a container starts and before it stops.',
  {
    postStart: opt(1, LifecycleHandler, 'Runs right after the start; if it fails, the container is terminated.'),
    preStop: opt(2, LifecycleHandler, 'Runs before the container is asked to stop.'),
    stopSignal: opt(3, string, { pointer: true, doc: 'Signal that asks the container to stop.' }),
  },
);
export interface Lifecycle extends Infer<typeof Lifecycle> {}
