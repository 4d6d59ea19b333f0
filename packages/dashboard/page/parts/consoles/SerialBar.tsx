import type { ReactNode } from 'react';
import { SERIAL_KEYS } from '../../decisions/consoles/serialKeys.ts';
import { MenuButton } from './MenuButton.tsx';

interface Props {
  readonly isConnected: boolean;
  readonly isLarge: boolean;
  readonly fontSize: number;
  readonly onFontSize: (size: number) => void;
  readonly onKey: (bytes: string) => void;
  readonly onFind: () => void;
  readonly onSendSize: () => void;
  readonly onDownload: () => void;
  readonly onFullScreen: () => void;
  readonly children: ReactNode;
}

const SIZES = { least: 8, most: 28 };
const NOT_CONNECTED = 'The console is not connected.';

/** What can be done with a serial console. */
export function SerialBar(props: Props) {
  const { isConnected, isLarge, fontSize, onFontSize, onKey, children } = props;
  const obstacle = isConnected ? undefined : NOT_CONNECTED;
  return (
    <div className="console-tools" role="group" aria-label="Serial console">
      <MenuButton
        label="Keys"
        items={SERIAL_KEYS.map(({ label }) => label)}
        obstacle={obstacle}
        onChoose={(item) => onKey(SERIAL_KEYS.find(({ label }) => label === item)?.bytes ?? '')}
      />
      <button
        type="button"
        aria-disabled={!isConnected}
        title={obstacle ?? 'Types a line for a shell: stty rows … cols …'}
        onClick={() => isConnected && props.onSendSize()}
      >
        Send size
      </button>
      <button type="button" onClick={props.onFind}>
        Find
      </button>
      <button type="button" onClick={props.onDownload}>
        Download
      </button>
      <div className="joined" role="group" aria-label="Font size">
        <button
          type="button"
          aria-label="A−, smaller font"
          aria-disabled={fontSize <= SIZES.least}
          onClick={() => onFontSize(Math.max(SIZES.least, fontSize - 1))}
        >
          A−
        </button>
        <button
          type="button"
          aria-label="A+, larger font"
          aria-disabled={fontSize >= SIZES.most}
          onClick={() => onFontSize(Math.min(SIZES.most, fontSize + 1))}
        >
          A+
        </button>
      </div>
      <button type="button" aria-pressed={isLarge} onClick={props.onFullScreen}>
        {isLarge ? 'Leave full screen' : 'Full screen'}
      </button>
      {children}
    </div>
  );
}
