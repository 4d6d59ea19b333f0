import { type FieldError, field, type Lifecycle, type LifecycleHandler, type Probe } from '@vireo/api';
import { each, inRange, invalidFor, nonNegative, oneOf, present, requiredText } from '../fields.ts';
import { httpHeaderNameErrors, portNameErrors } from '../names.ts';

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** A probe; one that restarts the container (`mustSucceedOnce`) cannot ask for several successes. */
export function validateProbe(probe: Probe | undefined, path: string, mustSucceedOnce: boolean): FieldError[] {
  if (!probe) return [];
  return [
    ...validateHandler(probe, path),
    ...COUNTS.flatMap((name) => nonNegative(`${path}.${name}`, probe[name])),
    ...(mustSucceedOnce && (probe.successThreshold ?? 1) !== 1
      ? [field.invalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1')]
      : []),
    ...(probe.terminationGracePeriodSeconds !== undefined && probe.terminationGracePeriodSeconds <= 0
      ? [
          field.invalid(
            `${path}.terminationGracePeriodSeconds`,
            probe.terminationGracePeriodSeconds,
            'must be greater than 0',
          ),
        ]
      : []),
  ];
}

export const validateLifecycle = (
  lifecycle: Lifecycle | undefined,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] =>
  (['postStart', 'preStop'] as const).flatMap((hook) => {
    const handler = lifecycle?.[hook];
    if (!handler) return [];
    return [...validateHandler(handler, `${path}.${hook}`), ...validateSleep(handler, `${path}.${hook}`, graceSeconds)];
  });

function validateSleep(handler: LifecycleHandler, path: string, graceSeconds = 30): FieldError[] {
  const seconds = handler.sleep?.seconds;
  if (seconds === undefined || (seconds > 0 && seconds <= graceSeconds)) return [];
  return [
    field.invalid(
      `${path}.sleep`,
      seconds,
      `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds})`,
    ),
  ];
}

function validateHandler(handler: Handler, path: string): FieldError[] {
  const [first, ...others] = present(handler, ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']);
  if (!first) return [field.required(path, 'must specify a handler type')];
  const { exec, httpGet, tcpSocket, grpc } = handler;
  return [
    ...others.map((name) => field.forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
    ...(exec && (exec.command ?? []).length === 0 ? [field.required(`${path}.exec.command`)] : []),
    ...(httpGet
      ? [
          ...requiredText(`${path}.httpGet.path`, httpGet.path),
          ...validatePort(httpGet.port, `${path}.httpGet.port`),
          ...oneOf(`${path}.httpGet.scheme`, httpGet.scheme, ['HTTP', 'HTTPS'], 'required'),
          ...each(httpGet.httpHeaders, `${path}.httpGet.httpHeaders`, (header, at) =>
            invalidFor(`${at}.name`, header.name ?? '', httpHeaderNameErrors(header.name ?? '')),
          ),
        ]
      : []),
    ...(tcpSocket ? validatePort(tcpSocket.port, `${path}.tcpSocket.port`) : []),
    ...(grpc ? validatePort(grpc.port, `${path}.grpc.port`) : []),
  ];
}

/** A port by number or by name. */
export function validatePort(port: string | number | undefined, path: string): FieldError[] {
  if (typeof port === 'string') return invalidFor(path, port, portNameErrors(port));
  return inRange(path, port ?? 0, 1, 65535);
}
