import { isObject } from '@vireo/api/json.ts';

/** What a CNI configuration says of its first plug-in; undefined where it is none. */
export function cniPlugin(config = ''): Readonly<Record<string, unknown>> | undefined {
  let plugin: unknown;
  try {
    plugin = JSON.parse(config);
  } catch {
    return undefined;
  }
  if (isObject(plugin) && Array.isArray(plugin.plugins)) plugin = plugin.plugins[0];
  return isObject(plugin) ? plugin : undefined;
}
