import { useEffect, useId, useRef } from 'react';
import '../../styles/tasks.css';
import { TasksDrawer } from './TasksDrawer.tsx';
import { useTaskList } from './tasks.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Opens the drawer with what this page has asked for, and says how much of it runs or has failed. */
export function TasksButton({ isOpen, onOpen: setOpen }: Props) {
  const tasks = useTaskList();
  const button = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen, setOpen]);
  const running = tasks.filter(({ state }) => state === 'running').length;
  const failed = tasks.filter(({ state }) => state === 'failed').length;
  return (
    <div
      className="tasks"
      role="group"
      aria-label="Tasks of this page"
      ref={place}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen) close();
      }}
    >
      <button
        ref={button}
        type="button"
        className="plain"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Tasks
        {running > 0 && <span className="tasks-count tasks-running">{running} running</span>}
        {failed > 0 && <span className="tasks-count tasks-failed">{failed} failed</span>}
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <TasksDrawer tasks={tasks} onClose={close} />}
      </div>
    </div>
  );
}
