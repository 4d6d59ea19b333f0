import type { Action } from '../../actions/action.ts';
import { download, downloadCancel } from './download.ts';
import { upload } from './upload.ts';

/** Actions on images. */
export const IMAGE_ACTIONS: readonly Action[] = [upload, download, downloadCancel];
