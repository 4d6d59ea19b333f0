import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/machines.css';
import './styles/machine.css';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
