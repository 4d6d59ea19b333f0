import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Action } from '../actions/action.ts';

/** KubeVirt's part of the table of actions as Markdown, for documentation. */
export function actionsAsMarkdown(actions: readonly Action[]): string {
  const rows = actions
    .filter(({ group }) => group === SUBRESOURCE_GROUP)
    .map(({ resource, name, parameters = [], method, isStream, minimumRole, body, summary }) => {
      const path = [`${resource}/{name}/${name}`, ...parameters.map((parameter) => `{${parameter}}`)].join('/');
      const options = body?.name?.split('.').at(-1) ?? '–';
      return `| \`${path}\` | ${method}${isStream ? ' (websocket)' : ''} | ${options} | ${minimumRole} | ${summary} |`;
    });
  return ['| path | method | body | role | what it does |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}
