import { Link, useLocation } from 'wouter';
import { isServed } from '../decisions/features.ts';
import { isAt, PLACES } from '../decisions/navigation.ts';
import { PlaceIcon } from './PlaceIcon.tsx';
import { useHas } from './session.tsx';

/** Where one can go; what the server does not have is left out. */
export function SideBar() {
  const [address] = useLocation();
  const has = useHas();
  return (
    <nav className="side" aria-label="Pages">
      {PLACES.filter(({ needs }) => isServed(has, needs)).map((place) => (
        <Link key={place.href} href={place.href} aria-current={isAt(address, place) ? 'page' : undefined}>
          <PlaceIcon href={place.href} />
          {place.title}
        </Link>
      ))}
    </nav>
  );
}
