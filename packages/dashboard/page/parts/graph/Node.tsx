import { memo } from 'react';
import { TYPE_LETTERS } from '../../decisions/graphKinds.ts';
import type { GraphObject } from '../../decisions/graphModel.ts';
import { describe } from '../../decisions/graphWords.ts';
import { fitText, measure } from './fitText.ts';
import { FORBIDDEN_ICON, kindIcon, MISSING_ICON } from './icons.tsx';
import { NODE_HEIGHT, NODE_WIDTH } from './layout.ts';

interface Props {
  readonly object: GraphObject;
  readonly x: number;
  readonly y: number;
  readonly isLit: boolean;
  readonly isChosen: boolean;
  /** Whether the Tab key leads here: to one node of the drawing only, arrow keys lead on. */
  readonly isTabStop: boolean;
  readonly onPoint: (key: string | undefined) => void;
  readonly onFocus: (key: string) => void;
  readonly onOpen: (key: string) => void;
}

const NAME_FONT = '14px system-ui, sans-serif';
const SMALL_FONT = '12px system-ui, sans-serif';
const TEXT_X = 36;
const SIGN_WIDTH = 24;
const LEAST_KIND = 48;

/** An object of the drawing. Its state is told by edge, fill, icon and word, so that it needs no colour. */
export const Node = memo(function Node(props: Props) {
  const { object, x, y, isLit, isChosen, isTabStop, onPoint, onFocus, onOpen } = props;
  const { key, kind, name, status, type, isOptional, isTruncated } = object;
  const sign = status === 'missing' ? MISSING_ICON : status === 'forbidden' ? FORBIDDEN_ICON : undefined;
  const room = NODE_WIDTH - TEXT_X - 8;
  const small = (text: string): number => measure(text, SMALL_FONT);
  const state = status === 'missing' ? ['missing'] : status === 'forbidden' ? ['not visible to you'] : [];
  const more = [...(isOptional ? ['optional'] : []), ...(isTruncated ? ['has more'] : [])];
  const all = [...state, ...more].join(', ');
  // A thin dashed link says optional, too, where there is no room for the word.
  const words = small(` · ${all}`) + LEAST_KIND > room ? state.join('') : all;
  const kindRoom = room - (words ? small(` · ${words}`) : 0);
  return (
    <g
      className={`node node-${status} node-${type}${isLit ? ' lit' : ''}${isChosen ? ' chosen' : ''}`}
      transform={`translate(${x} ${y})`}
      role="button"
      tabIndex={isTabStop ? 0 : -1}
      aria-pressed={isChosen}
      data-key={key}
      onPointerEnter={() => onPoint(key)}
      onPointerLeave={() => onPoint(undefined)}
      onFocus={() => onFocus(key)}
      onClick={() => onOpen(key)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onOpen(key);
      }}
    >
      <title>{describe(object)}</title>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group within a drawing takes no focus; its words are in the label */}
      <g aria-hidden="true">
        {object.count > 1 && (
          <rect className="node-behind" x="4" y="4" width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
        )}
        <rect className="node-box" width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
        <rect className="node-stripe" x="1" y="6" width="4" height={NODE_HEIGHT - 12} />
        <g className="node-icon" transform="translate(12 6)">
          {kindIcon(kind)}
        </g>
        <text className="node-letter" x="20" y="39" textAnchor="middle">
          {TYPE_LETTERS[type]}
        </text>
        <text className="node-kind" x={TEXT_X} y="19">
          {shortKind(kind, kindRoom, small)}
          {words && <tspan className="node-word">{` · ${words}`}</tspan>}
        </text>
        <text className="node-name" x={TEXT_X} y="37">
          {fitText(name, room - (sign ? SIGN_WIDTH : 0), (text) => measure(text, NAME_FONT))}
        </text>
        {sign && (
          <g className="node-sign" transform={`translate(${NODE_WIDTH - 24} 22)`}>
            {sign}
          </g>
        )}
      </g>
    </g>
  );
});

/** What kinds with long names are called where there is no room, as kubectl shortens them. */
const SHORT: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: 'PVC',
  PersistentVolume: 'PV',
  StorageClass: 'SC',
  VirtualMachineInstance: 'VMI',
  VirtualMachineInstancetype: 'Instancetype',
  VirtualMachineClusterInstancetype: 'ClusterInstancetype',
  VirtualMachinePreference: 'Preference',
  VirtualMachineClusterPreference: 'ClusterPreference',
  VirtualMachineSnapshot: 'Snapshot',
  VirtualMachineSnapshotContent: 'SnapshotContent',
  VirtualMachineBackup: 'Backup',
  NetworkAttachmentDefinition: 'NAD',
};

function shortKind(kind: string, room: number, widthOf: (text: string) => number): string {
  const isTooLong = widthOf(kind) > room;
  const short = isTooLong && Object.hasOwn(SHORT, kind) ? (SHORT[kind] ?? kind) : kind;
  return fitText(short, Math.max(LEAST_KIND, room), widthOf);
}
