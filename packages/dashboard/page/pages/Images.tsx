import { Link, useRoute } from 'wouter';
import { EXPORTS, isServed } from '../decisions/features.ts';
import { VOLUME_KINDS } from '../decisions/images/volumes.ts';
import { ExportList } from '../parts/images/ExportList.tsx';
import { Usage } from '../parts/images/Usage.tsx';
import { useVolumes } from '../parts/images/useVolumes.ts';
import { VolumeList } from '../parts/images/VolumeList.tsx';
import { VolumePage } from '../parts/images/VolumePage.tsx';
import { useHas, useSession } from '../parts/session.tsx';
import '../styles/images.css';

const TABS = [
  ['/images', 'Volumes'],
  ['/images/exports', 'Exports'],
  ['/images/usage', 'Usage'],
] as const;

/** Images and volumes: what disks there are, how they come and go, and how much room they take. */
export default function ImagesPage() {
  const [isVolume, volume] = useRoute('/images/volumes/:kind/:namespace/:name');
  const kind = VOLUME_KINDS.find((each) => each === volume?.kind);
  if (isVolume && volume && kind)
    return <VolumePage key={`${kind}/${volume.namespace}/${volume.name}`} {...volume} kind={kind} />;
  return <Overview />;
}

function Overview() {
  const { namespace } = useSession();
  const [isExports] = useRoute('/images/exports');
  const [isUsage] = useRoute('/images/usage');
  const current = isExports ? '/images/exports' : isUsage ? '/images/usage' : '/images';
  const volumes = useVolumes(namespace);
  const has = useHas();
  const tabs = TABS.filter(([href]) => href === current || href !== '/images/exports' || isServed(has, [EXPORTS]));
  return (
    <section className="machines images" aria-label="Images and volumes">
      <div className="page-head">
        <h1>Images and volumes</h1>
      </div>
      <nav className="tabs" aria-label="Views of images and volumes">
        {tabs.map(([href, title]) => (
          <Link key={href} href={href} aria-current={current === href ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      {current === '/images' && <VolumeList {...volumes} />}
      {isExports && <ExportList />}
      {isUsage && <Usage volumes={volumes} />}
    </section>
  );
}
