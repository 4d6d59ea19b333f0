import packageJson from '../package.json' with { type: 'json' };

/** Vireo's version. */
export const version: string = packageJson.version;
