import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { Failure } from '../../../failure.ts';

export interface SourceOptions {
  readonly vm?: string;
  readonly snapshot?: string;
  readonly pvc?: string;
}

/** What is exported; undefined when nobody said. */
export function sourceOf({ vm, snapshot, pvc }: SourceOptions): VirtualMachineExport['spec']['source'] | undefined {
  if (vm) return { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: vm };
  if (snapshot) return { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: snapshot };
  return pvc ? { apiGroup: '', kind: 'PersistentVolumeClaim', name: pvc } : undefined;
}

export interface Download {
  readonly url: string;
  readonly isCompressed: boolean;
  /** What the server is trusted by. */
  readonly certificate: string;
}

export interface LinkOptions {
  readonly volume?: string;
  /** Host to use instead of the one inside the cluster. */
  readonly serviceUrl?: string;
}

/** The links that can be used from here. */
export function linksOf({ status }: VirtualMachineExport, serviceUrl: string | undefined) {
  return serviceUrl ? status?.links?.internal : (status?.links?.external ?? status?.links?.internal);
}

/** Where a volume is, compressed where that can be had. */
export function volumeDownload(exported: VirtualMachineExport, { volume, serviceUrl }: LinkOptions): Download {
  const name = `${exported.metadata.namespace}/${exported.metadata.name}`;
  const links = linksOf(exported, serviceUrl);
  const volumes = links?.volumes ?? [];
  if (!links || volumes.length === 0)
    throw new Failure(`unable to access the volume info from '${name}' VirtualMachineExport`);
  if (volumes.length > 1 && !volume)
    throw new Failure(
      `detected more than one downloadable volume in '${name}' VirtualMachineExport: Select the expected volume using the --volume flag`,
      `Volumes: ${volumes.map((each) => each.name).join(', ')}`,
    );
  const chosen = volumes.length === 1 ? volumes[0] : volumes.find((each) => each.name === volume);
  const formats = chosen?.formats ?? [];
  const compressed = formats.find(({ format }) => format === 'gzip' || format === 'tar.gz');
  const found = compressed ?? formats.find(({ format }) => format === 'raw');
  if (!found) throw new Failure(`unable to get a valid URL from '${name}' VirtualMachineExport`);
  return { url: atService(found.url, serviceUrl), isCompressed: compressed !== undefined, certificate: links.cert };
}

/** Where the manifests are that make the VM anew elsewhere. */
export function manifestDownload(
  exported: VirtualMachineExport,
  type: 'all' | 'auth-header-secret',
  serviceUrl: string | undefined,
): Download {
  const links = linksOf(exported, serviceUrl);
  const manifest = links?.manifests?.find((each) => each.type === type);
  if (!links || !manifest) {
    const name = `${exported.metadata.namespace}/${exported.metadata.name}`;
    throw new Failure(`unable to access the manifest info from '${name}' VirtualMachineExport`);
  }
  return { url: atService(manifest.url, serviceUrl), isCompressed: false, certificate: links.cert };
}

function atService(url: string, serviceUrl: string | undefined): string {
  const address = new URL(url);
  if (serviceUrl) address.host = serviceUrl;
  return address.href;
}
