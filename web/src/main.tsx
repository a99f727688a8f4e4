/** Starts the web app. */
import './design/styles.ts';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';

const root = document.getElementById('app');
if (root) createRoot(root).render(<App />);
