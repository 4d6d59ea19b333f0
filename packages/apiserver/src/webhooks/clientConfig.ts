/** Where a webhook is, as configurations and definitions say it. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Base64 of the PEM of the authorities to trust. */
  readonly caBundle?: string;
}

const HTTPS_PORT = 443;

/** The port of a Service that a webhook is at. */
export const portOf = ({ port }: NonNullable<ClientConfig['service']>): number => port ?? HTTPS_PORT;

/** The address of a webhook, as errors name it and as the Host header and the path follow from it. */
export function targetOf({ url, service }: ClientConfig): URL {
  if (!service) return new URL(url ?? '');
  const path = service.path ?? '/';
  const target = new URL(`https://${service.name}.${service.namespace}.svc:${portOf(service)}`);
  target.pathname = path.startsWith('/') ? path : `/${path}`;
  return target;
}
