import { stat } from 'node:fs/promises';
import { OciError } from '../errors.ts';
import type { ImageSource } from '../source.ts';
import { archiveFiles, directoryFiles } from './blobFiles.ts';
import { DockerArchiveImage } from './dockerArchive.ts';
import { LayoutImage } from './layout.ts';

/**
 * Opens an image that lies on this host: a directory with an OCI layout, a tar archive of one, or an archive of
 * `docker save`. Whoever calls this says which path; none of it may come from the image.
 */
export async function openLocalImage(path: string, name: string = path): Promise<ImageSource> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new OciError('NotFound', `there is no image at ${path}`);
  if (found.isDirectory()) return new LayoutImage(name, directoryFiles(path));
  const files = await archiveFiles(path);
  // Newer versions of docker save write both; the layout says more.
  return (await files.open('index.json')) ? new LayoutImage(name, files) : new DockerArchiveImage(name, files);
}
