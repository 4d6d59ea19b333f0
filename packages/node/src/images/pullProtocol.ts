import type { Credentials, DiskFormat, OciErrorCode, Progress, PulledFile, RegistrySettings } from '@vireo/oci';

/** Where the thread gets the image. */
export type PullFrom =
  | {
      readonly kind: 'registry';
      /** With a digest: what was resolved is what is pulled. */
      readonly reference: string;
      readonly credentials?: Credentials;
      readonly settings?: RegistrySettings;
    }
  | { readonly kind: 'local'; readonly path: string; readonly name: string };

export interface PullRequest {
  readonly from: PullFrom;
  readonly architecture: string;
  readonly destination: string;
  readonly path?: string;
  /** At most so many bytes of a layer are unpacked; what is free at the destination when missing. */
  readonly limitBytes?: number;
  /** Whether it must be a disk. */
  readonly isDisk: boolean;
}

/** What came out of the image; files that are no disks have no format. */
export type PulledImageFile = PulledFile & Partial<DiskFormat>;

/** What the thread says. */
export type PullMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly file: PulledImageFile }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: OciErrorCode };
