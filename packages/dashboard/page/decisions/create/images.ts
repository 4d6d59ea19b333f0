/** An image that can be chosen by name, with what its guest needs: the catalogue of `vireo launch`. */
export interface KnownImage {
  readonly title: string;
  readonly image: string;
  readonly user: string;
  readonly memory: string;
  readonly disk: string;
  /** What `vireo launch` calls it. */
  readonly launchName: string;
  /** How to log in without saying anything. */
  readonly login?: string;
}

/** Vireo's own small Linux, which only Vireo has. */
export const GUEST = 'vireo/guest';

const publicImage = (launchName: string, title: string, image: string, user: string, memory: string): KnownImage => ({
  launchName,
  title,
  image,
  user,
  memory,
  disk: '10Gi',
});

const GUEST_IMAGE: KnownImage = {
  title: 'Vireo’s small Linux',
  image: GUEST,
  user: 'vireo',
  memory: '512Mi',
  disk: '1Gi',
  launchName: GUEST,
  login: 'Log in as vireo with password vireo, on the console or by SSH.',
};

const PUBLIC_IMAGES: readonly KnownImage[] = [
  publicImage('debian', 'Debian 13', 'quay.io/containerdisks/debian:13', 'debian', '512Mi'),
  publicImage('ubuntu', 'Ubuntu 24.04 LTS', 'quay.io/containerdisks/ubuntu:24.04', 'ubuntu', '1Gi'),
  publicImage('fedora', 'Fedora 43', 'quay.io/containerdisks/fedora:43', 'fedora', '1Gi'),
  publicImage('centos', 'CentOS Stream 10', 'quay.io/containerdisks/centos-stream:10', 'cloud-user', '2Gi'),
  publicImage('opensuse', 'openSUSE Leap 15.6', 'quay.io/containerdisks/opensuse-leap:15.6', 'opensuse', '1Gi'),
];

/** The images to choose from; the first is the default. */
export const knownImages = (isVireo: boolean): readonly KnownImage[] =>
  isVireo ? [GUEST_IMAGE, ...PUBLIC_IMAGES] : PUBLIC_IMAGES;

export const knownImage = (image: string): KnownImage | undefined =>
  knownImages(true).find((each) => each.image === image.replace(/:latest$/, ''));
