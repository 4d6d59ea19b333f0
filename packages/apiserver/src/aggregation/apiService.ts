import { type APIService, conditionOf } from '@vireo/api';
import type { TlsConfig } from '../services/outbound/tls.ts';
import type { ServicePortReference } from '../services/resolve.ts';
import { serverNameOf } from '../services/resolve.ts';

/** A group-version that another server serves, as its APIService describes it. */
export interface RemoteApi {
  readonly group: string;
  readonly version: string;
  readonly service: ServicePortReference;
  /** Without the certificate that the server shows, which is the same for all. */
  readonly tls: TlsConfig;
  /** As the Available condition says. */
  readonly isAvailable: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** Reads an APIService; undefined: its group-version is served here. */
export function remoteApi(apiService: APIService): RemoteApi | undefined {
  const { spec } = apiService;
  if (!spec?.service) return undefined;
  const { group = '', version = '', service, caBundle, insecureSkipTLSVerify } = spec;
  const { namespace = '', name = '', port = 443 } = service;
  return {
    group,
    version,
    service: { namespace, name, port },
    tls: {
      serverName: serverNameOf({ namespace, name }),
      ...(caBundle && { caBundle: Buffer.from(caBundle, 'base64').toString() }),
      ...(insecureSkipTLSVerify && { insecureSkipTLSVerify }),
    },
    isAvailable: conditionOf(apiService, 'Available')?.status === 'True',
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
  };
}
