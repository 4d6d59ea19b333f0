/** An image that can be launched by its name alone. */
export interface CatalogueImage {
  readonly name: string;
  readonly title: string;
  /** Where it comes from, without the tag. */
  readonly repository: string;
  /** Of the version that the name alone means. */
  readonly tag: string;
  /** Who logs in. */
  readonly user: string;
  /** What a guest gets, and the least that it boots with. */
  readonly memory: string;
  readonly disk: string;
  /** Whether the guest reads user data; else only its console leads in. */
  readonly hasCloudInit: boolean;
  /** Whether a guest agent comes with it. */
  readonly hasAgent: boolean;
}

/** The small Linux that comes with Vireo. */
export const GUEST = 'vireo/guest';
export const BOOT_SECTOR = 'vireo/boot-sector';

const DISK = '10Gi';
const CONTAINER_DISKS = 'quay.io/containerdisks';

const publicImage = (
  name: string,
  title: string,
  repository: string,
  tag: string,
  more: Pick<CatalogueImage, 'user' | 'memory'> & Partial<CatalogueImage>,
): CatalogueImage => ({ name, title, repository, tag, disk: DISK, hasCloudInit: true, hasAgent: false, ...more });

/**
 * Public container disks by name. Tags only: what a tag stands for is the registry's affair, and a digest would go
 * stale.
 */
export const catalogue: readonly CatalogueImage[] = [
  publicImage('alpine', 'Alpine Linux, KubeVirt’s demo', 'quay.io/kubevirt/alpine-container-disk-demo', 'v1.5.0', {
    user: 'root',
    memory: '256Mi',
    hasCloudInit: false,
  }),
  publicImage('centos', 'CentOS Stream 10', `${CONTAINER_DISKS}/centos-stream`, '10', {
    user: 'cloud-user',
    memory: '2Gi',
    hasAgent: true,
  }),
  publicImage('debian', 'Debian 13', `${CONTAINER_DISKS}/debian`, '13', { user: 'debian', memory: '512Mi' }),
  publicImage('fedora', 'Fedora 43', `${CONTAINER_DISKS}/fedora`, '43', {
    user: 'fedora',
    memory: '1Gi',
    hasAgent: true,
  }),
  publicImage('opensuse', 'openSUSE Leap 15.6', `${CONTAINER_DISKS}/opensuse-leap`, '15.6', {
    user: 'opensuse',
    memory: '1Gi',
  }),
  publicImage('tumbleweed', 'openSUSE Tumbleweed', `${CONTAINER_DISKS}/opensuse-tumbleweed`, '1.0.0', {
    user: 'opensuse',
    memory: '1Gi',
  }),
  publicImage('ubuntu', 'Ubuntu 24.04 LTS', `${CONTAINER_DISKS}/ubuntu`, '24.04', { user: 'ubuntu', memory: '1Gi' }),
];

/** What is known of an image before it is pulled. */
export interface KnownImage {
  readonly reference: string;
  /** Of the catalogue. */
  readonly name?: string;
  readonly user: string;
  readonly memory: string;
  readonly disk: string;
  readonly hasCloudInit: boolean;
  readonly hasAgent: boolean;
}

/** The image of a name of the catalogue, `debian` or `debian:12`; undefined where there is none. */
export function fromCatalogue(text: string): KnownImage | undefined {
  const [name, version] = text.split(/:(.*)/s);
  const found = catalogue.find((image) => image.name === name);
  return found && { ...found, reference: `${found.repository}:${version || found.tag}` };
}

/** What is taken for granted of any other image. */
export function fromReference(reference: string): KnownImage {
  const usual = { reference, user: 'vireo', memory: '1Gi', disk: DISK, hasCloudInit: true, hasAgent: false };
  const image = reference.replace(/:latest$/, '');
  // Its file system does not grow: a larger disk would only look large.
  if (image === GUEST) return { ...usual, memory: '512Mi', disk: '1Gi', hasAgent: true };
  if (image === BOOT_SECTOR) return { ...usual, memory: '64Mi', disk: '16Mi', hasCloudInit: false };
  return usual;
}
