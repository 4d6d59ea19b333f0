import { type DragEvent, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { isFound, parseVolumeOrder, sortVolumes, volumeOrderText } from '../../decisions/images/finding.ts';
import { makingOffer, uploadOffer } from '../../decisions/images/making.ts';
import type { Volume } from '../../decisions/images/volumes.ts';
import { OfferButton } from '../OfferButton.tsx';
import { useHas, useMay, useSession } from '../session.tsx';
import { useAsked } from '../useAsked.ts';
import { DeleteVolumeDialog } from './DeleteVolumeDialog.tsx';
import { type NewVolume, NewVolumeDialog } from './NewVolumeDialog.tsx';
import { UploadDialog } from './UploadDialog.tsx';
import { UploadList } from './UploadList.tsx';
import type { Volumes } from './useVolumes.ts';
import { EmptyVolumes, VolumeProblems } from './VolumeStates.tsx';
import { VolumeTable } from './VolumeTable.tsx';

type Open =
  | { readonly dialog: 'upload'; readonly files?: readonly File[] }
  | { readonly dialog: 'new'; readonly wanted: NewVolume }
  | { readonly dialog: 'delete'; readonly volume: Volume };

/** The table of images and volumes, and what makes new ones. */
export function VolumeList({ volumes, isLoading, isStale, states }: Volumes) {
  const { namespace } = useSession();
  const may = useMay();
  const [parameters, setParameters] = useSearchParams();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const askToDelete = useCallback((volume: Volume): void => setOpen({ dialog: 'delete', volume }), []);
  const search = parameters.get('q') ?? '';
  const sort = parameters.get('sort');
  const deferred = useDeferredValue(search);
  const shown = useMemo(
    () =>
      sortVolumes(
        volumes.filter((volume) => isFound(volume, deferred)),
        parseVolumeOrder(sort),
      ),
    [volumes, deferred, sort],
  );
  const names = useMemo(
    () =>
      new Set(
        volumes.flatMap(({ namespace, name, claimName }) => [`${namespace}/${name}`, `${namespace}/${claimName}`]),
      ),
    [volumes],
  );
  const isTaken = (inNamespace: string, name: string): boolean => names.has(`${inNamespace}/${name}`);
  const set = (name: string, value: string): void =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const has = useHas();
  const making = makingOffer(may, has, namespace);
  const upload = uploadOffer(may, has, namespace);

  const askUpload = (): void => setOpen({ dialog: 'upload' });
  const askImport = (): void => setOpen({ dialog: 'new', wanted: { from: 'address' } });
  useAsked('upload', upload, askUpload);
  useAsked('import', making, askImport);

  const drop = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    if (event.type === 'drop' && upload.isOffered) setOpen({ dialog: 'upload', files: [...event.dataTransfer.files] });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button Upload does the same for the keyboard
    <div className="machines" onDragOver={drop} onDrop={drop}>
      <div className="toolbar">
        <div className="actions" role="group" aria-label="New volumes">
          <OfferButton offer={upload} className="primary" onClick={askUpload}>
            Upload…
          </OfferButton>
          <OfferButton offer={making} onClick={askImport}>
            Import…
          </OfferButton>
          <OfferButton offer={making} onClick={() => setOpen({ dialog: 'new', wanted: { from: 'nothing' } })}>
            Empty disk…
          </OfferButton>
        </div>
        <input
          type="search"
          className="search"
          value={search}
          aria-label="Search images and volumes"
          placeholder="Search: name, class, machine, image, error"
          spellCheck={false}
          onChange={(event) => set('q', event.target.value)}
        />
        <span className="muted" role="status">
          {isLoading
            ? ''
            : shown.length === volumes.length
              ? `${volumes.length} in all`
              : `${shown.length} of ${volumes.length}`}
        </span>
      </div>
      <UploadList />
      <VolumeProblems states={states} />
      {shown.length > 0 || isLoading ? (
        <VolumeTable
          volumes={shown}
          isLoading={isLoading}
          isStale={isStale}
          withNamespace={namespace === undefined}
          order={parseVolumeOrder(sort)}
          onOrder={(order) => set('sort', volumeOrderText(order))}
          may={may}
          onDelete={askToDelete}
        />
      ) : (
        states.claims.kind !== 'refused' && (
          <EmptyVolumes search={search} namespace={namespace} onClear={() => set('q', '')} />
        )
      )}
      {open?.dialog === 'upload' && (
        <UploadDialog {...(open.files && { files: open.files })} isTaken={isTaken} onClose={close} />
      )}
      {open?.dialog === 'new' && <NewVolumeDialog wanted={open.wanted} isTaken={isTaken} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteVolumeDialog volume={open.volume} onClose={close} />}
    </div>
  );
}
