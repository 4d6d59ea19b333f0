import type { ReactNode } from 'react';
import { COMBINATIONS, type Combination, HELD_KEYS, type HeldKey } from '../../decisions/screens/keys.ts';
import { MenuButton } from '../consoles/MenuButton.tsx';

interface Props {
  readonly isConnected: boolean;
  readonly isFitted: boolean;
  readonly isViewOnly: boolean;
  readonly isLarge: boolean;
  readonly held: ReadonlySet<HeldKey>;
  readonly onFit: () => void;
  readonly onViewOnly: () => void;
  readonly onHold: (name: HeldKey) => void;
  readonly onKeys: (combination: Combination) => void;
  readonly onType: () => void;
  readonly onPicture: () => void;
  readonly onFullScreen: () => void;
  readonly children: ReactNode;
}

/** What can be done with a screen. */
export function ScreenBar(props: Props) {
  const { isConnected, isFitted, isViewOnly, isLarge, held, children } = props;
  const absent = isConnected ? undefined : 'The screen is not connected.';
  const obstacle = absent ?? (isViewOnly ? 'The screen is only viewed: turn “View only” off.' : undefined);
  return (
    <div className="console-tools" role="group" aria-label="Screen">
      <MenuButton
        label="Keys"
        items={COMBINATIONS.map(({ label }) => label)}
        obstacle={obstacle}
        onChoose={(item) => {
          const found = COMBINATIONS.find(({ label }) => label === item);
          if (found) props.onKeys(found);
        }}
      />
      <div className="joined" role="group" aria-label="Hold a key down">
        {(Object.keys(HELD_KEYS) as HeldKey[]).map((name) => (
          <Tool
            key={name}
            isPressed={held.has(name)}
            obstacle={obstacle}
            onUse={() => props.onHold(name)}
            label={`Hold ${name}`}
          >
            {name}
          </Tool>
        ))}
      </div>
      <Tool obstacle={obstacle} onUse={props.onType}>
        Type text…
      </Tool>
      <Tool isPressed={isFitted} onUse={props.onFit}>
        Fit
      </Tool>
      <Tool isPressed={isViewOnly} onUse={props.onViewOnly}>
        View only
      </Tool>
      <Tool obstacle={absent} onUse={props.onPicture}>
        Screenshot
      </Tool>
      <Tool isPressed={isLarge} onUse={props.onFullScreen}>
        {isLarge ? 'Leave full screen' : 'Full screen'}
      </Tool>
      {children}
    </div>
  );
}

interface ToolProps {
  readonly onUse: () => void;
  readonly children: ReactNode;
  readonly isPressed?: boolean;
  readonly obstacle?: string | undefined;
  readonly label?: string;
}

function Tool({ onUse, children, isPressed, obstacle, label }: ToolProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      aria-disabled={obstacle !== undefined}
      title={obstacle}
      // The guest keeps the keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => obstacle === undefined && onUse()}
    >
      {children}
    </button>
  );
}
