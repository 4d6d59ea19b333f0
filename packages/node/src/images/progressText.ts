import type { BuildProgress } from '../guestImage/buildGuestImage.ts';

/** `building the guest image, step 2 of 5: downloading 59 Debian packages: 12.0 MiB of 89.5 MiB (13%)` */
export function buildText({ step, stepNumber, stepCount, doneBytes, totalBytes }: BuildProgress): string {
  const what = `${step.slice(0, 1).toLowerCase()}${step.slice(1)}`;
  const bytes = doneBytes && totalBytes ? `: ${bytesText(doneBytes, totalBytes)}` : '';
  return `building the guest image, step ${stepNumber} of ${stepCount}: ${what}${bytes}`;
}

/** `12.0 MiB of 89.5 MiB (13%)` */
export const bytesText = (doneBytes: number, totalBytes: number): string => {
  const percent = totalBytes > 0 ? ` (${Math.floor((doneBytes / totalBytes) * 100)}%)` : '';
  return `${mebibytes(doneBytes)} of ${mebibytes(totalBytes)}${percent}`;
};

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
