import { isIP } from 'node:net';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import type { Informers } from '@vireo/kube';
import type { NamesSource } from './keep.ts';

const CONFIG = 'config';

/**
 * Where users upload disks to and download exports from, which no API server of Kubernetes forwards: the address of this
 * instance, and the host of the address that the importer's settings tell.
 */
export function uploadNames(informers: Informers, address: string): NamesSource {
  const watched = informers.for(CDIConfig);
  return { watched, list: () => [address, ...hostsOf(watched.get(CONFIG))] };
}

/** The host of the upload proxy's URL, as the settings have it; none where that is no URL. */
export function hostsOf(config: Pick<CDIConfig, 'spec' | 'status'> | undefined): string[] {
  const url = config?.spec?.uploadProxyURLOverride ?? config?.status?.uploadProxyURL ?? '';
  const parsed = URL.parse(/^https?:\/\//.test(url) ? url : `https://${url}`);
  const host = parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  return isIP(host) || DNS_NAME.test(host) ? [host] : [];
}

const DNS_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
