import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { type Upload, Uploads } from '../../data/images/uploads.ts';
import { percentSent } from '../../decisions/images/transfer.ts';
import { useSession } from '../session.tsx';
import { holdOpen } from '../useIdleLock.ts';
import '../../styles/images.css';

const Context = createContext<Uploads | undefined>(undefined);

/** Keeps the uploads above all pages, so that they go on whichever is shown; they end with the session. */
export function UploadsProvider({ children }: { readonly children: ReactNode }) {
  const { session } = useSession();
  const [uploads] = useState(() => new Uploads(session));
  useEffect(() => () => uploads.endAll(), [uploads]);
  return (
    <Context value={uploads}>
      {children}
      <Watchman uploads={uploads} />
    </Context>
  );
}

/** Warns whoever closes the page, and keeps it from being locked, while it has data to send. */
function Watchman({ uploads }: { readonly uploads: Uploads }) {
  const needPage = useSyncExternalStore(uploads.subscribe, () => uploads.needPage);
  useEffect(() => {
    if (!needPage) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    const release = holdOpen();
    window.addEventListener('beforeunload', warn);
    return () => {
      release();
      window.removeEventListener('beforeunload', warn);
    };
  }, [needPage]);
  return null;
}

export function useUploads(): { readonly uploads: Uploads; readonly views: readonly Upload[] } {
  const uploads = use(Context);
  if (!uploads) throw new Error('useUploads needs an UploadsProvider above it');
  return { uploads, views: useSyncExternalStore(uploads.subscribe, uploads.views) };
}

/** In the top bar: how far the uploads are, wherever one is. */
export function UploadIndicator() {
  const { views } = useUploads();
  const failed = views.filter(({ phase }) => phase === 'failed').length;
  const open = views.filter(({ phase }) => phase !== 'failed' && phase !== 'done');
  if (open.length === 0 && failed === 0) return null;
  const sent = open.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  const total = open.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  const isHeld = open.length > 0 && open.every(({ phase }) => phase === 'paused');
  const text =
    open.length === 0
      ? `${failed} ${failed === 1 ? 'upload' : 'uploads'} failed`
      : `${open.length} ${open.length === 1 ? 'upload' : 'uploads'}, ${isHeld ? 'paused' : `${percentSent(sent, total)} %`}`;
  return (
    <Link href="/images" className={`upload-indicator tone-${failed > 0 ? 'err' : 'busy'}`} title="Show the uploads">
      <span aria-hidden="true">⇡</span> {text}
    </Link>
  );
}
