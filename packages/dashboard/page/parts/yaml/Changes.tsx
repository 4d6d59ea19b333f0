import { type Change, changeText } from '../../decisions/yaml/editable.ts';
import { pathText } from '../../decisions/yaml/values.ts';

const MOST = 20;

/** Fields that changed, each with its value before and after. */
export function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul className="yaml-changes">
      {changes.slice(0, MOST).map((change) => (
        <li key={pathText(change.path)}>{changeText(change)}</li>
      ))}
      {changes.length > MOST && <li>and {changes.length - MOST} more</li>}
    </ul>
  );
}
