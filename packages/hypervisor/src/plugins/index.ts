export { PLUGIN_API_VERSION, type Plugin, type PluginApi } from './api.ts';
export { PLUGIN_LIST } from './list.ts';
export { type LoadOptions, loadPlugins, type PluginReport, problemsOf } from './load.ts';
