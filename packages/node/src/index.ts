export { type BuildOptions, type BuildStep, buildGuestImage } from './guestImage/buildGuestImage.ts';
