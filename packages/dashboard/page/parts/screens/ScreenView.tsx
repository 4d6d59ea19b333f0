import { useRef, useState } from 'react';
import { type Combination, pressesOf } from '../../decisions/screens/keys.ts';
import { ConsoleStatus } from '../consoles/ConsoleStatus.tsx';
import { download, fileName } from '../consoles/download.ts';
import { PlaceLinks } from '../consoles/PlaceLinks.tsx';
import { useRemembered } from '../consoles/remembered.ts';
import { useFullScreen } from '../consoles/useFullScreen.ts';
import { useGuestConnection } from '../consoles/useGuestConnection.ts';
import type { ViewProps } from '../consoles/view.ts';
import { ScreenBar } from './ScreenBar.tsx';
import { TypeDialog } from './TypeDialog.tsx';
import { useHeldKeys } from './useHeldKeys.ts';
import { useScreen } from './useScreen.ts';
import { useTyping } from './useTyping.ts';
import '../../styles/consoles.css';

/** The screen of a machine over VNC. Somebody else who has it is not disturbed unless the user says so. */
export default function ScreenView({ machine, isThere, place }: ViewProps) {
  const { namespace, name } = machine;
  const whole = useRef<HTMLDivElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useRemembered('scale', 'fit');
  const [isViewOnly, setViewOnly] = useState(false);
  const [isTypeShown, setTypeShown] = useState(false);
  const isFitted = scale === 'fit';
  const screen = useScreen(holder, `Screen of ${name}`, { isFitted, isViewOnly });
  const { phase, connect } = useGuestConnection('screen', machine, isThere, screen.attach);
  const isConnected = phase.kind === 'connected';
  const { held, toggle: hold } = useHeldKeys(screen.send, isConnected && !isViewOnly);
  const hands = useTyping(screen.send, isConnected);
  const { isLarge, isEscapeKept, toggle } = useFullScreen(whole);

  const press = (combination: Combination): void => {
    for (const { isDown, ...key } of pressesOf(combination)) screen.send(key, isDown);
    screen.focus();
  };
  const savePicture = async (): Promise<void> => {
    const picture = await screen.picture();
    if (picture) download(picture, fileName(name, 'png'));
  };
  return (
    <div ref={whole} className={isLarge ? 'console guest-view guest-large' : 'console guest-view'}>
      <div className="console-head">
        <ConsoleStatus kind="screen" machine={machine} phase={phase} onConnect={connect} />
        <ScreenBar
          {...{ isConnected, isFitted, isViewOnly, isLarge, held }}
          onFit={() => setScale(isFitted ? 'full' : 'fit')}
          onViewOnly={() => setViewOnly(!isViewOnly)}
          onHold={(key) => {
            hold(key);
            screen.focus();
          }}
          onKeys={press}
          onType={() => setTypeShown(true)}
          onPicture={() => void savePicture()}
          onFullScreen={toggle}
        >
          <PlaceLinks console={{ kind: 'screen', namespace, name }} place={place} />
        </ScreenBar>
      </div>
      {isEscapeKept && <p className="muted">This browser leaves full screen with Esc. For the guest: Keys, Esc.</p>}
      <div className={isConnected ? 'console-screen' : 'console-screen screen-gone'}>
        <div className="screen-fit" ref={holder} />
      </div>
      {isTypeShown && <TypeDialog hands={hands} isConnected={isConnected} onClose={() => setTypeShown(false)} />}
    </div>
  );
}
