import { RULES } from '../admission/rules.ts';
import { apiServices } from './apiServices.ts';
import { webhookConfigurations } from './webhookConfigurations.ts';

/** The names of the objects whose `caBundle`s are the extension's to write, and nobody else's. */
export const bundleHolders = (): { readonly apiServices: string[]; readonly configurations: string[] } => ({
  apiServices: apiServices().map(({ metadata }) => metadata.name),
  configurations: webhookConfigurations(RULES).map(({ metadata }) => metadata.name),
});
