import type { DefaultsLayer } from './layer.ts';

export const baseDefaults: DefaultsLayer = {};
