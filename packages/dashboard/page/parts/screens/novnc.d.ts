/// <reference types="novnc__novnc" />

/** The published types are of an older layout of the package. */
declare module '@novnc/novnc' {
  export { default } from '@novnc/novnc/lib/rfb';
}
