import { useState } from 'react';
import { type ManifestList, manifestFile, warningsIn } from '../../decisions/graphExport.ts';
import type { GraphModel } from '../../decisions/graphModel.ts';
import { Dialog } from '../Dialog.tsx';
import { download } from '../download.ts';
import { useMay, useSession } from '../session.tsx';

interface Props {
  readonly machine: { readonly namespace: string; readonly name: string };
  readonly path: string;
  readonly model: GraphModel;
  readonly onClose: () => void;
}

/** Saves everything that a machine needs as manifests, with or without Secrets. */
export function ExportDialog({ machine, path, model, onClose }: Props) {
  const { session } = useSession();
  const maySecrets = useMay()({ verb: 'get', group: '', resource: 'secrets' }, machine.namespace);
  const [includesSecrets, setIncludesSecrets] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const response = await session.api.fetch(
        `${path}?output=manifests${includesSecrets ? '&includeSecrets=true' : ''}`,
      );
      const list = (await response.json()) as ManifestList;
      if (list.kind !== 'List') throw new Error('This server cannot export manifests.');
      const about = {
        machine,
        server: session.server ?? location.origin,
        at: new Date().toISOString(),
        includesSecrets,
        warnings: warningsIn(response.headers.get('warning')),
      };
      download(`${machine.name}.yaml`, 'application/yaml', manifestFile(list, model, about));
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Export ${machine.name} as manifests`} onClose={onClose}>
      <p>
        One YAML file with every object that it needs and that you may read, to be applied elsewhere. Comments in it
        list what is missing or not visible to you. The data of disks is not in it.
      </p>
      <label className="check-line">
        <input
          type="checkbox"
          checked={includesSecrets}
          disabled={maySecrets === false}
          onChange={(event) => setIncludesSecrets(event.target.checked)}
        />
        <span>
          Include Secrets
          <small className="muted">
            {maySecrets === false
              ? `You are not allowed to get secrets in namespace ${machine.namespace}.`
              : 'Passwords and keys are then readable in the file.'}
          </small>
        </span>
      </label>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" aria-disabled={isBusy} onClick={() => void save()} data-autofocus>
          Export {machine.name}
        </button>
      </div>
    </Dialog>
  );
}
