import { ApiError } from '@vireo/api';

/** Objects could not be converted: 500 without a reason, as Kubernetes has it. */
export class ConversionError extends ApiError {
  constructor(message: string) {
    super(undefined, message, undefined, 500);
  }
}
