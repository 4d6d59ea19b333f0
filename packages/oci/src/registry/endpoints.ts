import { isLoopback, type Trust } from './http.ts';

/** What is known of a registry besides its name. */
export interface RegistrySettings extends Trust {
  /** Whether it speaks HTTP without TLS. */
  readonly isPlainHttp?: boolean;
  /** Servers that may have the same images and are asked first: `https://mirror.example`. */
  readonly mirrors?: readonly string[];
}

/** A server to ask. */
export interface Endpoint {
  readonly url: URL;
  readonly trust: Trust;
  /** Whether it stands in for the registry: it gets no credentials. */
  readonly isMirror: boolean;
}

const DOCKER_HUB = 'registry-1.docker.io';

/**
 * Where to ask for the images of a registry, in order. TLS is a must, except where the settings say otherwise and on
 * this host, where plain HTTP is tried second: nobody is in between.
 */
export function endpointsOf(registry: string, settings: RegistrySettings = {}): Endpoint[] {
  const { isPlainHttp, isInsecure, ca, mirrors = [] } = settings;
  const trust: Trust = { ca, isInsecure };
  const host = registry === 'docker.io' ? DOCKER_HUB : registry;
  const schemes = isPlainHttp ? ['http'] : isInsecure || isLoopback(host) ? ['https', 'http'] : ['https'];
  return [
    ...mirrors.map((mirror) => ({ url: new URL(mirror), trust, isMirror: true })),
    ...schemes.map((scheme) => ({ url: new URL(`${scheme}://${host}`), trust, isMirror: false })),
  ];
}
