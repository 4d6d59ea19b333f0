import { createHash } from 'node:crypto';
import { ApiError, badRequest, type Persisted, unavailable } from '@vireo/api';
import { isImported, type VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { type ApiResponse, emptyResponse, keyOf, systemClock } from '@vireo/kube';
import type { ActContext } from '../../actions/action.ts';
import { deliver, UploadRefusal } from '../../uploads/deliver.ts';
import { drain, iterateKeepingOpen } from '../../uploads/draining.ts';
import { formFile } from '../../uploads/multipart.ts';
import { harvesterAction } from '../action.ts';
import { READ_VOLUMES } from './download.ts';
import { imageConflict } from './states.ts';

/** What Harvester's page calls the part of its form that has the data, by the backend of the image. */
const PARTS = ['chunk', 'file'];

export const upload = harvesterAction('virtualmachineimages')({
  name: 'upload',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Uploads the image's data, either as a form with a part named `chunk` or `file`, or as raw bytes.",
  response: { status: 200 },
  takesData: true,
  needs: READ_VOLUMES,
  isListed: ({ object }) => object.spec.sourceType === 'upload' && !isImported(object),
  async act({ object }, _input, context) {
    const { sourceType } = object.spec;
    if (sourceType !== 'upload')
      throw imageConflict(
        object,
        `its sourceType is ${sourceType}; data can only be uploaded to images with sourceType upload`,
      );
    if (isImported(object)) throw imageConflict(object, 'it already has its data');
    return take(object, context);
  },
});

async function take(image: Persisted<VirtualMachineImage>, context: ActContext): Promise<ApiResponse> {
  const { client, nodes, request, dryRun } = context;
  if (dryRun) return emptyResponse(200);
  const input = request.input?.();
  if (!input) throw badRequest('upload the data of an image over HTTPS');
  const contentType = request.headers['content-type'] ?? '';
  const bytes = iterateKeepingOpen(input);
  const sent = /^multipart\//i.test(contentType) ? formFile(contentType, bytes, PARTS) : bytes;
  const checked = new Checked(sent, image.spec.checksum);
  try {
    await deliver(
      { claim: keyOf(image), data: checked.data(), isAsync: false, signal: request.signal },
      { client, nodes, clock: systemClock },
      { isAwaited: true },
    );
    return emptyResponse(200);
  } catch (error) {
    await drain(input);
    if (checked.problem) throw badRequest(checked.problem);
    if (!(error instanceof UploadRefusal)) throw error;
    throw error.status === 503 ? unavailable(error.message) : ApiError.from(error.status, error.message);
  }
}

/** Data that is broken off at its end unless it has the checksum. */
class Checked {
  readonly #data: AsyncIterable<Buffer>;
  readonly #wanted: string | undefined;
  /** What is wrong with it, once that is known. */
  problem: string | undefined;

  constructor(data: AsyncIterable<Buffer>, sha512: string | undefined) {
    this.#data = data;
    this.#wanted = sha512?.toLowerCase();
  }

  async *data(): AsyncGenerator<Buffer> {
    try {
      if (!this.#wanted) return yield* this.#data;
      const hash = createHash('sha512');
      for await (const chunk of this.#data) {
        hash.update(chunk);
        yield chunk;
      }
      const found = hash.digest('hex');
      if (found !== this.#wanted)
        throw badRequest(`spec.checksum: the data has SHA-512 ${found}, but ${this.#wanted} was expected`);
    } catch (error) {
      if (error instanceof ApiError) this.problem = error.message;
      throw error;
    }
  }
}
