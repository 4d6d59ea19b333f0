import { useEffect, useState } from 'react';
import { useSession } from '../session.tsx';

/** Whether the server is Vireo, which has a guest image of its own; undefined until it has answered. */
export function useIsVireo(): boolean | undefined {
  const { api } = useSession().session;
  const [isVireo, setIsVireo] = useState<boolean>();
  useEffect(() => {
    let isLeft = false;
    api.request<{ gitVersion?: string }>('GET', '/version').then(
      ({ gitVersion = '' }) => !isLeft && setIsVireo(gitVersion.includes('vireo')),
      () => !isLeft && setIsVireo(false),
    );
    return () => {
      isLeft = true;
    };
  }, [api]);
  return isVireo;
}
